use pollux_testkit::ScriptedAuthorization;
use pollux_testkit::scripted_authorization::{Answered, Asked};
use serde_json::json;

use super::*;

fn server(entry: &Value) -> ServerConfig {
    ServerConfig::parse("s", entry).unwrap().unwrap()
}

/// The cloud around a machine: metadata, tokens and service accounts at one address.
async fn cloud() -> ScriptedAuthorization {
    ScriptedAuthorization::start(|asked: &Asked, _| match asked.path() {
        "/computeMetadata/v1/instance/service-accounts/default/token" => {
            let flavour = asked.headers.get("metadata-flavor");
            let is_known = flavour.is_some_and(|flavour| flavour == "Google");
            let token = json!({ "access_token": "machine", "expires_in": 3600 });
            Some(match is_known {
                true => Answered::json(&token),
                false => Answered::status("403 Forbidden"),
            })
        }
        "/token" => Some(Answered::json(
            &json!({ "access_token": "person", "expires_in": 3600 }),
        )),
        path if path.ends_with(":generateIdToken") => {
            let claims = BASE64_URL_SAFE_NO_PAD.encode(r#"{"exp":4000000000}"#);
            let token = json!({ "token": format!("h.{claims}.s") });
            Some(Answered::json(&token))
        }
        _ => None,
    })
    .await
}

fn google(cloud: &ScriptedAuthorization, files: Vec<std::path::PathBuf>) -> Google {
    let identity = GoogleIdentity {
        files,
        addresses: GoogleAddresses {
            tokens: format!("{}/token", cloud.base()),
            impersonation: cloud.base(),
            metadata: cloud.base(),
        },
    };
    Google::new(Http::default(), identity)
}

fn with_credentials(url: &str) -> ServerConfig {
    server(&json!({
        "url": url,
        "authProviderType": "google_credentials",
        "oauth": { "scopes": ["a", "b"] },
    }))
}

#[tokio::test]
async fn a_machine_in_the_cloud_knows_who_it_is() {
    let cloud = cloud().await;
    let google = google(&cloud, vec!["/nowhere/adc.json".into()]);
    let server = with_credentials("https://x.googleapis.com/mcp");
    assert_eq!(google.token(&server).await.as_deref(), Some("machine"));
    // It is good for an hour.
    assert_eq!(google.token(&server).await.as_deref(), Some("machine"));
    let asked = cloud.asked();
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].field("scopes").as_deref(), Some("a,b"));
    // What was refused and comes again is no new token.
    assert_eq!(google.renewed(&server, "machine").await, None);
    assert_eq!(cloud.asked().len(), 2);
}

#[tokio::test]
async fn what_gcloud_has_written_comes_first() {
    let cloud = cloud().await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("adc.json");
    let written = json!({
        "type": "authorized_user", "client_id": "c", "client_secret": "s", "refresh_token": "r",
    });
    std::fs::write(&file, written.to_string()).unwrap();
    let google = google(&cloud, vec![file.clone()]);
    let server = with_credentials("https://x.luci.app/mcp");
    assert_eq!(google.token(&server).await.as_deref(), Some("person"));
    let asked = cloud.asked();
    assert_eq!(asked[0].field("refresh_token").as_deref(), Some("r"));

    std::fs::write(&file, r#"{"type":"service_account","private_key":"k"}"#).unwrap();
    let error = google.fetch(&server).await.err().unwrap().to_string();
    assert!(error.contains("its kind is `service_account`"), "{error}");
}

#[tokio::test]
async fn attack_no_other_host_gets_a_token_of_google() {
    let cloud = cloud().await;
    let google = google(&cloud, Vec::new());
    for url in [
        "https://evil.example/mcp",
        "https://googleapis.com.evil.example/mcp",
        "https://evilgoogleapis.com/mcp",
        "https://.googleapis.com/mcp",
        "http://x.googleapis.com/mcp",
        "https://x.googleapis.com@evil.example/mcp",
    ] {
        assert_eq!(google.token(&with_credentials(url)).await, None, "{url}");
    }
    let without_scopes = server(&json!({
        "url": "https://x.googleapis.com/mcp", "authProviderType": "google_credentials",
    }));
    assert_eq!(google.token(&without_scopes).await, None);
    assert_eq!(cloud.asked().len(), 0);
}

#[tokio::test]
async fn a_service_account_is_spoken_for() {
    let cloud = cloud().await;
    let google = google(&cloud, Vec::new());
    let entry = json!({
        "url": "https://mine.example/mcp",
        "authProviderType": "service_account_impersonation",
        "targetAudience": "aud",
        "targetServiceAccount": "me@p.iam.gserviceaccount.com",
    });
    let token = google.token(&server(&entry)).await.unwrap();
    assert!(token.starts_with("h."), "{token}");
    let asked = cloud.asked();
    assert_eq!(
        asked[1].path(),
        "/v1/projects/-/serviceAccounts/me@p.iam.gserviceaccount.com:generateIdToken"
    );
    assert_eq!(asked[1].headers["authorization"], "Bearer machine");
    let body: Value = serde_json::from_str(&asked[1].body).unwrap();
    assert_eq!(body, json!({ "audience": "aud", "includeEmail": true }));
    assert_eq!(end_of(&token), Some(4_000_000_000_000));

    let mut incomplete = entry;
    incomplete["targetAudience"] = Value::Null;
    let error = google.fetch(&server(&incomplete)).await.err().unwrap();
    assert_eq!(
        error.to_string(),
        "`service_account_impersonation` needs `targetAudience`"
    );
}

#[test]
fn what_is_no_signed_token_has_no_end() {
    for token in ["", "x", "a.b.c", "a.e30.c"] {
        assert_eq!(end_of(token), None, "{token}");
    }
}
