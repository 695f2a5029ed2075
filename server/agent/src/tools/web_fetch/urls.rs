//! The addresses in a prompt.

use url::Url;

use crate::tools::ToolError;

/// The addresses that a prompt names, each once and in one spelling. What looks like an address and is none is an
/// error: the model meant something by it.
pub(super) fn named(prompt: &str) -> Result<Vec<String>, ToolError> {
    let mut urls: Vec<String> = Vec::new();
    let mut problems = Vec::new();
    for word in prompt
        .split_whitespace()
        .filter(|word| word.contains("://"))
    {
        match parse(word) {
            Ok(url) if urls.contains(&url) => {}
            Ok(url) => urls.push(url),
            Err(problem) => problems.push(problem),
        }
    }
    if !problems.is_empty() {
        return Err(ToolError::invalid(problems.join("; ")));
    }
    if urls.is_empty() {
        return Err(ToolError::invalid(
            "`prompt` must contain at least one address that begins with http:// or https://",
        ));
    }
    Ok(urls)
}

/// One address, in the spelling that is asked for.
pub(super) fn parse(word: &str) -> Result<String, String> {
    let url = Url::parse(word).map_err(|_| format!("\"{word}\" is not an address"))?;
    match url.scheme() {
        "http" | "https" if url.has_host() => Ok(normalised(raw_file(url))),
        "http" | "https" => Err(format!("\"{word}\" is not an address")),
        other => Err(format!(
            "\"{word}\" begins with {other}:, and only http: and https: can be fetched"
        )),
    }
}

/// The parser has the host in lower case and without the usual port; the path goes without a slash at its end.
fn normalised(mut url: Url) -> String {
    let path = url.path();
    if path.len() > 1 && path.ends_with('/') {
        let path = path.trim_end_matches('/').to_owned();
        url.set_path(&path);
    }
    let text = url.to_string();
    match url.path() == "/" && url.query().is_none() && url.fragment().is_none() {
        true => text.trim_end_matches('/').to_owned(),
        false => text,
    }
}

/// GitHub shows a file as a page full of other things; the file itself lies elsewhere.
fn raw_file(url: Url) -> Url {
    if url.host_str() != Some("github.com") {
        return url;
    }
    let path: Vec<&str> = url.path().split('/').skip(1).collect();
    let [owner, repository, "blob", rest @ ..] = path.as_slice() else {
        return url;
    };
    let raw = format!(
        "https://raw.githubusercontent.com/{owner}/{repository}/{}",
        rest.join("/")
    );
    Url::parse(&raw).unwrap_or(url)
}
