mod decoding;
mod errors;
mod requests;
