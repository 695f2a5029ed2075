use std::cell::Cell;

use pollux_settings::EditorTrust;

use super::*;

/// Who answers in a folder with this `.env`, and whether the keychain, which has a key, was asked.
fn chosen(
    trust: EditorTrust,
    env_file: &str,
    door: &[(&str, &str)],
    named: Option<&str>,
) -> (Service, bool) {
    let place = tempfile::tempdir().unwrap();
    let home = place.path().join("home");
    let folder = place.path().join("work");
    for new in [&home, &folder] {
        std::fs::create_dir(new).unwrap();
    }
    std::fs::write(folder.join(".env"), env_file).unwrap();
    let home = [("HOME", home.to_str().unwrap())];
    let door: Environment = door.iter().copied().chain(home).collect();
    let loaded = pollux_settings::load(&door, &folder, trust);
    let wanted = Wanted {
        model: named,
        ..Wanted::default()
    };
    let asked = Cell::new(false);
    let keychain = || {
        asked.set(true);
        ApiKey::new("key-in-the-keychain")
    };
    let chosen = choose(&loaded, &door, wanted, Pace::Instant, keychain).unwrap();
    (chosen.service, asked.get())
}

const TRUSTED: EditorTrust = EditorTrust::Trusted;
const BASE: (&str, &str) = ("GOOGLE_GEMINI_BASE_URL", "http://127.0.0.1:9");
const FOLDERS_BASE: &str = "GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:6\n";

#[test]
fn the_keychain_is_asked_last() {
    let from_keychain = (Service::Gemini(KeyFrom::Keychain), true);
    let from_environment = (Service::Gemini(KeyFrom::Environment), false);
    assert_eq!(chosen(TRUSTED, "", &[], None), from_keychain);
    assert_eq!(
        chosen(TRUSTED, "", &[("GEMINI_API_KEY", " ")], None),
        from_keychain
    );
    for name in ["GEMINI_API_KEY", "GOOGLE_API_KEY"] {
        assert_eq!(chosen(TRUSTED, "", &[(name, "x")], None), from_environment);
        let file = format!("{name}=x\n");
        assert_eq!(chosen(TRUSTED, &file, &[], None), from_environment);
        // A folder that is not trusted neither brings a key nor hides the person's own.
        let untrusted = chosen(EditorTrust::Untrusted, &file, &[], None);
        assert_eq!(untrusted, from_keychain);
    }
}

#[test]
fn the_keychain_is_not_asked_for_other_services() {
    let chat = (Service::ChatCompletions, false);
    assert_eq!(
        chosen(TRUSTED, "", &[], Some("demo")),
        (Service::Demo(Why::Wanted), false)
    );
    assert_eq!(chosen(TRUSTED, "", &[], Some("ollama:x")), chat);
    assert_eq!(chosen(TRUSTED, "", &[], Some("openai:x")), chat);
    let door = [("OPENAI_BASE_URL", "http://127.0.0.1:9")];
    assert_eq!(chosen(TRUSTED, "", &door, None), chat);
}

#[test]
fn only_an_address_of_the_persons_own_gets_the_key_of_the_keychain() {
    let from_keychain = (Service::Gemini(KeyFrom::Keychain), true);
    assert_eq!(chosen(TRUSTED, "", &[BASE], None), from_keychain);
    assert_eq!(
        chosen(TRUSTED, FOLDERS_BASE, &[], None),
        (Service::Gemini(KeyFrom::Nowhere), false)
    );
    // Without trust the folder's address does not count at all.
    let untrusted = chosen(EditorTrust::Untrusted, FOLDERS_BASE, &[], None);
    assert_eq!(untrusted, from_keychain);
}
