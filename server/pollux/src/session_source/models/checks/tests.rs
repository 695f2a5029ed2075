use pollux_settings::{EditorTrust, Environment};
use serde_json::{Value, json};

use super::*;

#[test]
fn names_of_google_and_aliases_are_models_and_nothing_else_is() {
    let setting =
        json!({ "customAliases": { "mine": { "modelConfig": { "model": "gemini-2.5-pro" } } } });
    let configs = ModelConfigs::from_settings(&setting).unwrap();
    for known in [
        "auto",
        "auto-gemini-3",
        "pro",
        "flash",
        "flash-lite",
        "gemini-9-ultra",
        "gemma-4-27b-it",
        "models/gemini-2.5-pro",
        "tunedModels/ours",
        "mine",
    ] {
        assert_eq!(check_model(known, &configs), Ok(()), "{known}");
    }
    for (unknown, words) in [
        ("nosuch", "unknown model `nosuch`"),
        ("gemini-", "unknown model"),
        ("gpt-4o", "unknown model"),
        ("", "unknown model"),
        ("anthropic:x", "unknown provider `anthropic`"),
    ] {
        let refused = check_model(unknown, &configs).unwrap_err().to_string();
        assert!(refused.contains(words), "{refused}");
    }
}

fn loaded(settings: &Value) -> Loaded {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join(".gemini");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("settings.json"), settings.to_string()).unwrap();
    let home: Environment = [("HOME", place.path().to_str().unwrap())]
        .into_iter()
        .collect();
    pollux_settings::load(&home, place.path(), EditorTrust::Trusted)
}

#[test]
fn a_selected_way_to_sign_in_is_the_one_that_is_used() {
    use AuthType::{ApiKey, Gateway, OtherProvider, VertexExpress};
    for (selected, accepted) in [
        ("gemini-api-key", &[ApiKey, Gateway, OtherProvider][..]),
        ("gateway", &[Gateway, OtherProvider]),
        ("vertex-ai", &[VertexExpress, OtherProvider]),
        ("oauth-personal", &[OtherProvider]),
        ("cloud-shell", &[OtherProvider]),
        ("no-such-type", &[OtherProvider]),
    ] {
        let settings = json!({ "security": { "auth": { "selectedType": selected } } });
        let loaded = loaded(&settings);
        for auth in [ApiKey, Gateway, VertexExpress, OtherProvider] {
            let is_accepted = check_auth(&loaded, auth).is_ok();
            assert_eq!(is_accepted, accepted.contains(&auth), "{selected} {auth:?}");
        }
    }
}

#[test]
fn an_enforced_way_to_sign_in_rules_out_other_providers() {
    let settings = json!({ "security": { "auth": { "enforcedType": "gemini-api-key" } } });
    let loaded = loaded(&settings);
    assert_eq!(check_auth(&loaded, AuthType::ApiKey), Ok(()));
    for auth in [AuthType::VertexExpress, AuthType::OtherProvider] {
        let refused = check_enforced(&loaded, auth).unwrap_err().to_string();
        assert!(refused.contains("security.auth.enforcedType"), "{refused}");
    }
}
