use super::*;

#[test]
fn settings_are_told_from_other_files() {
    for path in ["/p/.env", "/p/.gemini/settings.json", "/p/.gemini"] {
        assert!(is_settings(Path::new(path)), "{path}");
    }
    for path in ["/p/src/a.rs", "/p/env", "/p/.envrc", "/p/gemini/a"] {
        assert!(!is_settings(Path::new(path)), "{path}");
    }
}
