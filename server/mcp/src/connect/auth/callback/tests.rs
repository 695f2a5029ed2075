use super::*;

fn told(target: &str) -> String {
    match landing(target, Some("s1")) {
        None => "nothing".to_owned(),
        Some(Landing::Refused(why)) => format!("refused: {why}"),
        Some(Landing::Arrived(Return { code, issuer, .. })) => format!("{code} {issuer:?}"),
    }
}

#[test]
fn only_the_browser_that_was_sent_is_let_in() {
    assert_eq!(told("/oauth/callback?code=c&state=s1"), "c None");
    assert_eq!(
        told("/oauth/callback?code=c&state=s1&iss=https%3A%2F%2Fa"),
        "c Some(\"https://a\")"
    );
    for strange in [
        "/oauth/callback?code=c&state=s2",
        "/oauth/callback?code=c",
        "/oauth/callback?code=c&state=",
        "/oauth/callback?code=c&state=s1&state=s1",
        "/oauth/callback?code=c&code=d&state=s1",
        "/oauth/callback?state=s1",
        "/oauth/callback?error=access_denied&state=s2",
        "/favicon.ico?code=c&state=s1",
        "http://[",
        "",
    ] {
        assert_eq!(told(strange), "nothing", "{strange}");
    }
    assert!(landing("/oauth/callback?code=c&state=", None).is_none());
}

#[test]
fn a_refusal_says_why() {
    assert_eq!(
        told("/oauth/callback?error=access_denied&state=s1"),
        "refused: access_denied"
    );
    assert_eq!(
        told("/oauth/callback?error=x&error_description=not%0Atoday&state=s1"),
        "refused: not today"
    );
}
