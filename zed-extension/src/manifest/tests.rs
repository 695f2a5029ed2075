//! The rules of Zed's packaging, and that all names of this version are the same one.

use std::fs;
use std::path::Path;

use toml::{Table, Value};

use super::*;

/// Fewer would leave out what somebody works with every day.
const MANY: usize = 50;

fn table(text: &str) -> Table {
    text.parse().unwrap()
}

fn text<'table>(table: &'table Table, key: &str) -> &'table str {
    table.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn server(manifest: &Table) -> &Table {
    let servers = manifest["language_servers"].as_table().unwrap();
    servers["pollux"].as_table().unwrap()
}

fn languages(manifest: &Table) -> Vec<&str> {
    let list = server(manifest)["languages"].as_array().unwrap();
    list.iter().map(|name| name.as_str().unwrap()).collect()
}

/// What `zed-extension` refuses to package, as far as it concerns an extension like this one.
fn refused(manifest: &Table) -> Vec<&'static str> {
    let mut refused = Vec::new();
    let mut rule = |what: &'static str, holds: bool| {
        if !holds {
            refused.push(what);
        }
    };
    let name = text(manifest, "name");
    rule("an id in lower case", {
        let id = text(manifest, "id");
        !id.is_empty()
            && id
                .chars()
                .all(|letter| letter.is_ascii_lowercase() || letter == '-')
    });
    rule("a name", !name.trim().is_empty());
    rule("a version of three numbers", {
        let version = text(manifest, "version");
        version.split('.').count() == 3
            && version.split('.').all(|part| part.parse::<u32>().is_ok())
    });
    rule(
        "schema version 1",
        manifest.get("schema_version").and_then(Value::as_integer) == Some(1),
    );
    rule(
        "a description longer than the name",
        text(manifest, "description").len() > name.len(),
    );
    let authors = manifest.get("authors").and_then(Value::as_array);
    rule(
        "an author",
        authors.is_some_and(|authors| !authors.is_empty()),
    );
    let host = text(manifest, "repository").strip_prefix("https://");
    rule(
        "a repository with a host",
        host.is_some_and(|rest| {
            rest.split('/')
                .next()
                .is_some_and(|host| host.contains('.'))
        }),
    );
    let has = |key: &str| manifest.contains_key(key);
    rule("a feature", has("language_servers"));
    rule("no themes beside it", !has("themes") && !has("icon_themes"));
    // Parsed by Zed 1.18, and then refused, ignored or deprecated.
    let gone = [
        "language_model_providers",
        "slash_commands",
        "agent_servers",
    ];
    rule(
        "nothing that Zed has given up",
        !gone.iter().any(|key| has(key)),
    );
    rule(
        "a Rust library",
        manifest
            .get("lib")
            .and_then(|lib| lib.get("kind")?.as_str())
            == Some("Rust"),
    );
    refused
}

#[test]
fn the_manifest_can_be_packaged() {
    assert_eq!(refused(&table(TEXT)), Vec::<&str>::new());
}

#[test]
fn a_manifest_without_anything_is_refused() {
    let bad = table("name = \"a name\"\ndescription = \"short\"\n[themes]\n[slash_commands]");
    assert_eq!(
        refused(&bad),
        [
            "an id in lower case",
            "a version of three numbers",
            "schema version 1",
            "a description longer than the name",
            "an author",
            "a repository with a host",
            "a feature",
            "no themes beside it",
            "nothing that Zed has given up",
            "a Rust library",
        ]
    );
}

/// Without the capability Zed would refuse to run a program for us, and asking for it would worry people.
#[test]
fn nothing_is_asked_for_that_is_not_needed() {
    assert!(!table(TEXT).contains_key("capabilities"));
}

#[test]
fn languages_are_named_once_and_in_order() {
    let manifest = table(TEXT);
    let names = languages(&manifest);
    let mut sorted = names.clone();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(names, sorted);
    assert!(names.len() > MANY, "{} languages", names.len());
    for name in [
        "Rust",
        "TypeScript",
        "TSX",
        "Python",
        "Markdown",
        "Plain Text",
    ] {
        assert!(names.contains(&name), "{name}");
    }
}

#[test]
fn only_named_languages_have_another_id() {
    let manifest = table(TEXT);
    let names = languages(&manifest);
    for name in server(&manifest)["language_ids"].as_table().unwrap().keys() {
        assert!(names.contains(&name.as_str()), "{name}");
    }
}

#[test]
fn the_extension_has_the_version_of_the_program() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let workspace = table(&fs::read_to_string(folder.join("../Cargo.toml")).unwrap());
    let program = workspace["workspace"]["package"]["version"]
        .as_str()
        .unwrap();
    assert_eq!(program, VERSION);
    assert_eq!(text(&table(TEXT), "version"), VERSION);
}

#[test]
fn releases_come_from_the_repository_of_the_manifest() {
    let releases = releases().unwrap();
    assert_eq!(
        text(&table(TEXT), "repository"),
        format!("{GITHUB}{releases}")
    );
    assert_eq!(releases.split('/').count(), 2);
    assert_eq!(
        releases_of("repository = \"https://github.com/a/b/\""),
        Some("a/b")
    );
    assert_eq!(
        releases_of("repository = \"https://elsewhere.example/a/b\""),
        None
    );
    assert_eq!(releases_of(""), None);
}
