//! The extension's own manifest, as far as the program needs it.

#[cfg(test)]
mod tests;

const TEXT: &str = include_str!("../extension.toml");
const GITHUB: &str = "https://github.com/";

/// The extension downloads the release of its own version: the two are tested together.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// `owner/name` of the repository that releases are downloaded from.
pub(crate) fn releases() -> Option<&'static str> {
    releases_of(TEXT)
}

fn releases_of(manifest: &str) -> Option<&str> {
    let mut lines = manifest.lines();
    let value = lines.find_map(|line| line.strip_prefix("repository = "))?;
    let path = value.trim().trim_matches('"').strip_prefix(GITHUB)?;
    Some(path.trim_end_matches('/'))
}
