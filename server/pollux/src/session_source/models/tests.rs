use std::cell::Cell;

use pollux_settings::EditorTrust;
use pollux_testkit::scripted_model::{RefusedPort, Reply, Script, ScriptedModel};
use serde_json::json;

use super::*;

/// Who answers in a folder with these settings, to somebody with this environment.
fn chosen_by(settings: &Value, door: &[(&str, &str)], named: Option<&str>) -> Chosen {
    let place = tempfile::tempdir().unwrap();
    let (home, folder) = (place.path().join("home"), place.path().join("work"));
    std::fs::create_dir_all(home.join(".gemini")).unwrap();
    std::fs::create_dir(&folder).unwrap();
    let file = home.join(".gemini/settings.json");
    std::fs::write(file, settings.to_string()).unwrap();
    let home = [("HOME", home.to_str().unwrap())];
    let door: Environment = door.iter().copied().chain(home).collect();
    let loaded = pollux_settings::load(&door, &folder, TRUSTED);
    let wanted = Wanted {
        model: named,
        ..Wanted::default()
    };
    choose(&loaded, &door, wanted, Pace::Instant, || None).unwrap()
}

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

/// The name under which it can be asked for again, its own name, and what it takes.
fn named(chosen: &Chosen) -> (String, String, Option<u64>) {
    let requested = chosen.voices.requested().to_owned();
    let model = chosen.voices.voice(&requested, None).unwrap().model;
    (
        requested,
        model.name().to_owned(),
        model.known_token_limit(),
    )
}

#[test]
fn a_model_of_a_server_keeps_the_name_by_which_it_is_asked_for() {
    let none = json!({});
    let base = [("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")];
    for (door, asked, id, name) in [
        (&[][..], "ollama:qwen3", "ollama:qwen3", "qwen3"),
        (&[], "ollama:gemma3:4b", "ollama:gemma3:4b", "gemma3:4b"),
        (&[], "openai:gpt-x", "openai:gpt-x", "gpt-x"),
        (&base, "gpt-x", "gpt-x", "gpt-x"),
        // Nobody else's `pro` is Google's.
        (&base, "pro", "openai:pro", "pro"),
        (&[], "openai:pro", "openai:pro", "pro"),
    ] {
        let chosen = chosen_by(&none, door, Some(asked));
        let expected = (id.to_owned(), name.to_owned(), None);
        assert_eq!(named(&chosen), expected, "{asked}");
        let requested = chosen.voices.requested();
        let chain = chosen.voices.chain(requested, ChainMode::Normal);
        let models: Vec<&str> = chain
            .policies()
            .map(|policy| policy.model.as_str())
            .collect();
        assert_eq!(models, [id]);
        let list = super::super::model_list::list(&chosen, Vec::new());
        let ids: Vec<&str> = list.models.iter().map(|line| line.id.as_str()).collect();
        assert_eq!((list.current.as_str(), ids), (id, vec![id, "demo"]));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_without_a_model_means_the_first_one_there() {
    let models = json!({ "object": "list", "data": [{ "id": "llama-x" }, { "id": "other" }] });
    let script = Script::new().reply(Reply::json(&models).when_path("/v1/models"));
    let server = ScriptedModel::start(script.strict()).await;
    let address = format!("{}/v1", server.url());
    let chosen = tokio::task::spawn_blocking(move || {
        chosen_by(&json!({}), &[("OPENAI_BASE_URL", &address)], None)
    });
    let expected = ("openai:llama-x".to_owned(), "llama-x".to_owned(), None);
    assert_eq!(named(&chosen.await.unwrap()), expected);
}

#[test]
fn an_address_that_lists_nothing_is_asked_all_the_same() {
    let port = RefusedPort::reserve();
    let chosen = chosen_by(&json!({}), &[("OPENAI_BASE_URL", &port.url())], None);
    assert_eq!(named(&chosen).0, "openai:default");
    assert_eq!(chosen.service, Service::ChatCompletions);
}

#[test]
fn the_settings_say_how_much_a_model_takes() {
    let settings = json!({ "pollux": { "contextWindows": { "qwen3": 8192, "gpt-x": 0 } } });
    let takes = |door: &[(&str, &str)], name| named(&chosen_by(&settings, door, Some(name))).2;
    let started = [("OLLAMA_CONTEXT_LENGTH", "4096")];
    assert_eq!(takes(&[], "ollama:qwen3"), Some(8192));
    assert_eq!(takes(&started, "ollama:qwen3"), Some(8192));
    assert_eq!(takes(&started, "ollama:other"), Some(4096));
    assert_eq!(takes(&[], "openai:qwen3"), Some(8192));
    assert_eq!(takes(&[], "openai:gpt-x"), None);
}

#[test]
fn certificates_are_those_of_the_person_and_of_no_folder() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("roots.pem");
    std::fs::write(&file, "the person's").unwrap();
    let file = file.to_str().unwrap();
    std::fs::write(place.path().join(".env"), format!("SSL_CERT_FILE={file}\n")).unwrap();
    let roots = |door: &[(&str, &str)]| {
        let home = [("HOME", "/nowhere")];
        let door: Environment = door.iter().copied().chain(home).collect();
        let loaded = pollux_settings::load(&door, place.path(), TRUSTED);
        network(&loaded, &door).extra_roots
    };
    assert_eq!(roots(&[("SSL_CERT_FILE", file)]), [b"the person's"]);
    assert!(roots(&[]).is_empty());
    assert!(roots(&[("SSL_CERT_FILE", "/nowhere/at/all")]).is_empty());
}

#[test]
fn a_second_try_is_asked_for_as_the_settings_say() {
    let overrides = json!([{
        "match": { "model": "gemini-2.5-pro", "isRetry": true },
        "modelConfig": { "generateContentConfig": { "temperature": 0.7 } },
    }]);
    let settings = json!({ "modelConfigs": { "customOverrides": overrides } });
    let door = [("GEMINI_API_KEY", "x")];
    let voices = chosen_by(&settings, &door, Some("gemini-2.5-pro")).voices;
    let first = voices.voice("gemini-2.5-pro", None).unwrap().generation;
    let again = voices.generation_for_retry("gemini-2.5-pro").unwrap();
    assert_eq!(
        (&first["temperature"], &again["temperature"]),
        (&json!(1), &json!(0.7))
    );
}
