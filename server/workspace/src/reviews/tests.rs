mod closed_files;
mod landing;
