mod closed_files;
mod comments;
mod landing;
mod proposals;
mod recording;
mod rounds;
mod speed;
mod views;
