//! The configuration for Helix. Helix itself is in no release that the tests run on.

use std::fs;

use toml_edit::DocumentMut;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../editors/helix");

#[test]
fn the_configuration_starts_pollux_behind_each_language_server() {
    let text = fs::read_to_string(format!("{FOLDER}/languages.toml")).unwrap();
    let config: DocumentMut = text.parse().unwrap();
    let server = &config["language-server"]["pollux"];
    assert_eq!(server["command"].as_str(), Some("pollux"));
    let args: Vec<_> = server["args"].as_array().unwrap().iter().collect();
    assert_eq!(args.len(), 1);
    assert_eq!(args[0].as_str(), Some("lsp"));
    let languages = config["language"].as_array_of_tables().unwrap();
    assert!(!languages.is_empty());
    for language in languages {
        let servers = language["language-servers"].as_array().unwrap();
        let names: Vec<_> = servers.iter().filter_map(|name| name.as_str()).collect();
        assert_eq!(names.last(), Some(&"pollux"), "{language}");
        assert!(names.len() > 1, "{language}");
    }
}
