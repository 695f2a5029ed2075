//! Text out of whatever a page is made of.

use pollux_model::WebPage;

use super::html::{self, Links};

/// The text of a page, or nothing where it is no text.
pub(super) fn text(page: &WebPage, links: Links) -> Option<String> {
    let decoded = decoded(page);
    match page.content_type.as_deref() {
        None | Some("text/html" | "application/xhtml+xml") => Some(html::text(&decoded, links)),
        Some(kind) if is_text(kind) => Some(decoded),
        Some(_) => None,
    }
}

pub(super) fn is_text(kind: &str) -> bool {
    kind.starts_with("text/")
        || kind.ends_with("+json")
        || kind.ends_with("+xml")
        || matches!(
            kind,
            "application/json"
                | "application/xml"
                | "application/javascript"
                | "application/ecmascript"
                | "application/x-ndjson"
                | "application/toml"
                | "application/yaml"
                | "application/x-yaml"
                | "application/x-sh"
        )
}

/// UTF-8 unless the server says that it is one of the older two.
pub(super) fn decoded(page: &WebPage) -> String {
    match page.charset.as_deref() {
        Some("iso-8859-1" | "latin1" | "windows-1252") => {
            page.body.iter().copied().map(char::from).collect()
        }
        _ => String::from_utf8_lossy(&page.body).into_owned(),
    }
}
