mod closed_files;
mod landing;
mod recording;
