//! What the registry's own checks and Zed refuse.

use serde_json::Value;

const PLATFORMS: &[&str] = &[
    "darwin-aarch64",
    "darwin-x86_64",
    "linux-aarch64",
    "linux-x86_64",
    "windows-aarch64",
    "windows-x86_64",
];
const ARCHIVES: &[&str] = &[".zip", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2"];
const TARGET_KEYS: &[&str] = &["archive", "sha256", "cmd", "args", "env"];
/// The only paints of an icon: those that follow the theme.
const PAINTS: &[&str] = &["currentColor", "none", "inherit"];

pub(crate) fn of_entry(entry: &Value) -> Vec<String> {
    let mut broken = Vec::new();
    let id = text(entry, "id");
    if !id.starts_with(|letter: char| letter.is_ascii_lowercase())
        || !id
            .chars()
            .all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-')
    {
        broken.push(format!("`{id}` is no id"));
    }
    let version = text(entry, "version");
    if !is_version(version) {
        broken.push(format!("`{version}` is no version"));
    }
    for key in ["name", "description"] {
        if text(entry, key).is_empty() {
            broken.push(format!("there is no {key}"));
        }
    }
    let targets = entry
        .pointer("/distribution/binary")
        .and_then(Value::as_object);
    if targets.is_none_or(serde_json::Map::is_empty) {
        broken.push("there is nothing to install".to_owned());
    }
    for (platform, target) in targets.into_iter().flatten() {
        let found = of_target(platform, target, version);
        broken.extend(found.into_iter().map(|what| format!("{platform}: {what}")));
    }
    broken
}

fn of_target(platform: &str, target: &Value, version: &str) -> Vec<String> {
    let mut broken = Vec::new();
    let mut rule = |holds: bool, what: &str| {
        if !holds {
            broken.push(what.to_owned());
        }
    };
    rule(PLATFORMS.contains(&platform), "no platform");
    let archive = text(target, "archive");
    rule(archive.starts_with("https://"), "no address");
    rule(
        ARCHIVES.iter().any(|ending| archive.ends_with(ending)),
        "an archive that cannot be unpacked",
    );
    rule(!archive.contains("/latest/"), "an address that will move");
    rule(
        archive.contains(&format!("/download/v{version}/")),
        "an archive of another version",
    );
    let command = text(target, "cmd");
    rule(
        command.starts_with("./") && !command.contains(".."),
        "a command outside the archive",
    );
    let digest = text(target, "sha256");
    rule(
        digest.len() == 64 && digest.chars().all(|letter| letter.is_ascii_hexdigit()),
        "no checksum",
    );
    let keys = target.as_object().into_iter().flatten();
    for (key, _) in keys {
        rule(TARGET_KEYS.contains(&key.as_str()), "a key nobody knows");
    }
    broken
}

pub(crate) fn of_icon(svg: &str) -> Vec<String> {
    let mut broken = Vec::new();
    let start = svg.split('>').next().unwrap_or_default();
    let size = ["width=\"16\"", "height=\"16\"", "viewBox=\"0 0 16 16\""];
    if !start.starts_with("<svg ") || !size.iter().all(|words| start.contains(words)) {
        broken.push("the icon is not 16 by 16".to_owned());
    }
    if svg.contains("<!--") || svg.contains("style") {
        broken.push("the icon has comments or styles".to_owned());
    }
    let paints: Vec<&str> = ["fill=\"", "stroke=\""]
        .iter()
        .flat_map(|attribute| svg.split(attribute).skip(1))
        .filter_map(|rest| rest.split('"').next())
        .collect();
    for paint in &paints {
        if !PAINTS.contains(paint) {
            broken.push(format!("the icon has a colour of its own, `{paint}`"));
        }
    }
    if !paints.contains(&"currentColor") {
        broken.push("the icon does not follow the theme".to_owned());
    }
    broken
}

fn is_version(text: &str) -> bool {
    let mut parts = text.split('.');
    parts.clone().count() == 3 && parts.all(|part| part.parse::<u32>().is_ok())
}

fn text<'value>(value: &'value Value, key: &str) -> &'value str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}
