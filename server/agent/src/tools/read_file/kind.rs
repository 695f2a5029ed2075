use std::path::Path;

/// What is in a file, as far as its name tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::tools) enum FileKind {
    /// Text, until its bytes say otherwise.
    Text,
    /// Text that draws a picture.
    Drawing,
    /// Something that a model takes as it is.
    Document { mime_type: &'static str },
}

impl FileKind {
    pub(in crate::tools) fn of(path: &Path) -> Self {
        let extension = path.extension().and_then(|extension| extension.to_str());
        let extension = extension.unwrap_or_default().to_ascii_lowercase();
        let mime_type = match extension.as_str() {
            "svg" => return Self::Drawing,
            "png" => "image/png",
            "jpg" | "jpeg" => "image/jpeg",
            "gif" => "image/gif",
            "webp" => "image/webp",
            "bmp" => "image/bmp",
            "heic" => "image/heic",
            "pdf" => "application/pdf",
            "mp3" => "audio/mpeg",
            "wav" => "audio/wav",
            "aiff" | "aif" => "audio/aiff",
            "aac" => "audio/aac",
            "ogg" => "audio/ogg",
            "flac" => "audio/flac",
            _ => return Self::Text,
        };
        Self::Document { mime_type }
    }
}
