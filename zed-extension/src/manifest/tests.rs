//! The rules of Zed's packaging, and that all names of this version are the same one.

use std::fs;
use std::path::Path;

use toml::{Table, Value};

use super::*;

/// Fewer would leave out what somebody works with every day.
const MANY: usize = 50;

/// Where the sources lie: cargo runs tests there. What is compiled may be of another checkout, because the cache belongs to all of
/// them, and would name that one's folder.
const HERE: &str = ".";

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

/// What Zed's packaging refuses, and who publishes extensions, as far as it concerns an extension like this one.
fn refused(manifest: &Table) -> Vec<&'static str> {
    let mut refused = Vec::new();
    let mut rule = |what: &'static str, holds: bool| {
        if !holds {
            refused.push(what);
        }
    };
    let (id, name) = (text(manifest, "id"), text(manifest, "name"));
    let has = |key: &str| manifest.contains_key(key);
    rule("an id of small words with hyphens", is_kebab(id));
    rule("an id and a name that do not say what they are in", {
        let both = format!("{id} {name}").to_lowercase();
        !both.contains("zed") && !both.contains("extension")
    });
    rule("an id that says what it starts", {
        id.ends_with("-lsp") || id.ends_with("-language-server") || !has("language_servers")
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
    rule("an author", !list(manifest, "authors").is_empty());
    rule(
        "a repository with a host",
        has_host(text(manifest, "repository")),
    );
    rule("a feature", has("language_servers"));
    rule(
        "languages for each server",
        tables(manifest, "language_servers").iter().all(|server| {
            !list(server, "languages").is_empty() && !server.contains_key("language")
        }),
    );
    rule("no themes beside it", !has("themes") && !has("icon_themes"));
    rule("no MCP server beside it", !has("context_servers"));
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

fn is_kebab(id: &str) -> bool {
    let is_word = |word: &str| {
        let is_small = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit();
        !word.is_empty() && word.chars().all(is_small)
    };
    id.split('-').all(is_word)
}

fn has_host(address: &str) -> bool {
    let rest = address.strip_prefix("https://").unwrap_or_default();
    rest.split('/')
        .next()
        .is_some_and(|host| host.contains('.'))
}

fn list<'table>(table: &'table Table, key: &str) -> &'table [Value] {
    let list = table.get(key).and_then(Value::as_array);
    list.map(Vec::as_slice).unwrap_or_default()
}

fn tables<'table>(table: &'table Table, key: &str) -> Vec<&'table Table> {
    let entries = table.get(key).and_then(Value::as_table);
    let entries = entries.into_iter().flat_map(Table::values);
    entries.filter_map(Value::as_table).collect()
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
            "an id of small words with hyphens",
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

/// As each rule would be broken by a small change of ours.
#[test]
fn a_slip_in_the_manifest_is_refused() {
    for (from, to, rule) in [
        (
            "id = \"pollux-lsp\"",
            "id = \"my_pollux-lsp\"",
            "an id of small words with hyphens",
        ),
        (
            "id = \"pollux-lsp\"",
            "id = \"Pollux-lsp\"",
            "an id of small words with hyphens",
        ),
        (
            "id = \"pollux-lsp\"",
            "id = \"pollux--lsp\"",
            "an id of small words with hyphens",
        ),
        (
            "name = \"Pollux\"\nversion",
            "name = \"Pollux for Zed\"\nversion",
            "an id and a name that do not say what they are in",
        ),
        (
            "id = \"pollux-lsp\"",
            "id = \"pollux\"",
            "an id that says what it starts",
        ),
        (
            "languages = [",
            "language = \"Rust\"\nlanguages = [",
            "languages for each server",
        ),
        (
            "[lib]",
            "[context_servers.pollux]\n[lib]",
            "no MCP server beside it",
        ),
        (
            "[lib]",
            "[agent_servers.pollux]\n[lib]",
            "nothing that Zed has given up",
        ),
        (
            "https://github.com",
            "http://github.com",
            "a repository with a host",
        ),
    ] {
        assert!(TEXT.contains(from), "{from}");
        let slip = TEXT.replacen(from, to, 1);
        assert_eq!(refused(&table(&slip)), [rule], "{to}");
    }
}

/// It is published from this folder alone, with a licence from Zed's list.
#[test]
fn a_licence_that_is_allowed_lies_beside_the_manifest() {
    let folder = Path::new(HERE);
    let licence = fs::read_to_string(folder.join("LICENSE")).unwrap();
    assert!(licence.contains("Apache License"));
    assert!(licence.contains("Version 2.0"));
}

/// The component runs in a room of its own: what is around it is asked for by the interface.
#[test]
fn the_code_does_not_look_past_its_interface() {
    let folder = Path::new(HERE).join("src");
    let sources = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let sources = sources.filter(|entry| entry.path().extension().is_some_and(|end| end == "rs"));
    let sources: Vec<_> = sources.collect();
    assert!(!sources.is_empty());
    for source in sources {
        let text = fs::read_to_string(source.path()).unwrap();
        for word in [
            "std::env",
            "std::process",
            "cfg(target_os",
            "cfg(unix",
            "cfg(windows",
        ] {
            assert!(
                !text.contains(word),
                "{word} in {}",
                source.path().display()
            );
        }
    }
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
    let folder = Path::new(HERE);
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
