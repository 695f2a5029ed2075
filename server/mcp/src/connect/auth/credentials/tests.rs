use serde_json::json;

use super::*;

fn credentials() -> Credentials {
    let entry = json!({
        "serverName": "s",
        "token": { "accessToken": "secret-1", "refreshToken": "secret-2", "expiresAt": 1_000_000, "tokenType": "Bearer" },
        "clientId": "c", "tokenUrl": "https://a.example/token", "mcpServerUrl": "https://s.example/mcp", "updatedAt": 1,
    });
    serde_json::from_value(entry).unwrap()
}

#[test]
fn mcp_client_17_a_token_is_renewed_five_minutes_before_its_end() {
    let credentials = credentials();
    assert!(!credentials.expires_soon(1_000_000 - 300_001));
    assert!(credentials.expires_soon(1_000_000 - 240_000));
    assert!(!credentials.is_over(999_999));
    assert!(credentials.is_over(1_000_000));
}

#[test]
fn a_token_is_for_one_address() {
    let url = |text: &str| Url::parse(text).unwrap();
    let mut credentials = credentials();
    assert!(credentials.is_for(&url("https://s.example/mcp?key=1")));
    assert!(!credentials.is_for(&url("https://evil.example/mcp")));
    assert!(!credentials.is_for(&url("http://s.example/mcp")));
    credentials.mcp_server_url = None;
    assert!(credentials.is_for(&url("https://s.example/mcp")));
}

#[test]
fn secrets_are_not_shown() {
    let shown = format!("{:?} {:?}", credentials(), credentials().token);
    assert!(!shown.contains("secret"), "{shown}");
}

#[test]
fn an_old_refresh_token_stays_with_its_server() {
    let fresh = |token_url: &str| {
        let mut fresh = credentials();
        fresh.token.refresh_token = None;
        fresh.token_url = Some(token_url.to_owned());
        fresh.take_over(Some(credentials()));
        fresh.token.refresh_token
    };
    assert_eq!(
        fresh("https://a.example/token").as_deref(),
        Some("secret-2")
    );
    assert_eq!(fresh("https://b.example/token"), None);
}
