mod closed_files;
mod comments;
mod crashes;
mod landing;
mod proposals;
mod recording;
mod speed;
mod views;
