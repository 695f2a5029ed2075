use super::*;

#[test]
fn a_key_is_never_shown() {
    let key = ApiKey::new(" AIza-very-secret\n").unwrap();
    assert_eq!(key.expose(), "AIza-very-secret");
    assert_eq!(
        format!("{key:?} {key:#?} {key}"),
        "ApiKey([redacted]) ApiKey([redacted]) [redacted]"
    );
}

#[test]
fn a_blank_key_is_no_key() {
    assert_eq!(ApiKey::new(" \n"), None);
}

#[test]
fn secrets_are_removed_wherever_they_stand() {
    let mut secrets = Secrets::default();
    secrets.add("AIza-very-secret");
    secrets.add("none");
    let text = "key AIza-very-secret (AIza-very-secret) is none of yours";
    assert_eq!(
        secrets.remove_from(text),
        "key [redacted] ([redacted]) is none of yours"
    );
    assert_eq!(format!("{secrets:?}"), "Secrets(1)");
}
