use super::*;

#[test]
fn every_pattern_can_be_read() {
    assert_eq!(Secrets::new(&[], &[], false).values.len(), VALUES.len());
}

fn is_secret(name: &str, value: &str) -> bool {
    Secrets::new(&["MY_TOKEN".to_owned()], &["editor".to_owned()], false)
        .contains(name.as_ref(), value.as_ref())
}

#[test]
fn names_that_look_secret_are() {
    for name in [
        "GEMINI_API_KEY",
        "github_token",
        "DATABASE_URL",
        "SSH_AUTH_SOCK",
        "Editor",
    ] {
        assert!(is_secret(name, "x"), "{name}");
    }
    for name in ["PATH", "CARGO_HOME", "my_token", "GEMINI_CLI_KEY"] {
        assert!(!is_secret(name, "x"), "{name}");
    }
}

#[test]
fn values_that_look_secret_are_under_any_name() {
    let letters = "a1".repeat(20);
    for value in [
        format!("ghp_{letters}"),
        format!("key AKIA{}", "Z9".repeat(8)),
        format!("AIzaSy{}", "c".repeat(33)),
        "https://me:pass@host/".to_owned(),
        "-----BEGIN OPENSSH PRIVATE KEY-----".to_owned(),
        "-----BEGIN PRIVATE KEY-----".to_owned(),
        format!("sk_live_{}", "0".repeat(24)),
        "xoxb-12".to_owned(),
        "eyJh.b.c".to_owned(),
    ] {
        assert!(is_secret("MY_TOKEN", &value), "{value}");
        assert!(is_secret("HOME", &value), "{value}");
    }
    assert!(!is_secret("HOMEPAGE", "https://host:80/"));
}
