use std::time::UNIX_EPOCH;

use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::*;

fn key(text: &str) -> Option<ApiKey> {
    ApiKey::new(text)
}

#[test]
fn an_entry_is_written_as_the_twin_writes_it() {
    let now = UNIX_EPOCH + Duration::from_millis(1_700_000_000_123);
    expect![[r#"{"serverName":"default-api-key","token":{"accessToken":"AIza-1","tokenType":"ApiKey"},"updatedAt":1700000000123}"#]]
        .assert_eq(&Entry::new("AIza-1", now).to_json());
}

#[test]
fn entries_of_the_twin_and_bare_keys_are_read() {
    let twin = r#"{"serverName":"default-api-key","token":{"accessToken":"AIza-1","tokenType":"ApiKey","scope":"x"},"updatedAt":1.5e12,"more":{}}"#;
    assert_eq!(Entry::key_in(twin), key("AIza-1"));
    assert_eq!(
        Entry::key_in("{\"token\":{\"accessToken\":\" AIza-1 \"}}"),
        key("AIza-1")
    );
    assert_eq!(Entry::key_in("AIza-1\n"), key("AIza-1"));
    for nothing in [
        "",
        "\n",
        "{}",
        "{\"token\":{}}",
        "{\"token\":{\"accessToken\":\"\"}}",
        "{\"token\":{\"accessToken\":\"a\\nb\"}}",
        "two words",
        "{broken",
    ] {
        assert_eq!(Entry::key_in(nothing), None, "{nothing}");
    }
}

proptest! {
    #[test]
    fn whatever_lies_there_is_a_key_that_fits_a_header_or_none(text in any::<String>()) {
        if Entry::key_in(&text).is_some() {
            let bare = text.trim();
            let fits = looks_like_a_key(bare) || bare.starts_with('{');
            prop_assert!(fits);
        }
    }

    #[test]
    fn what_is_written_is_read(text in "[!-~]{1,200}") {
        let entry = Entry::new(&text, SystemTime::now()).to_json();
        prop_assert_eq!(Entry::key_in(&entry), key(&text));
    }
}

#[test]
fn no_client_is_told_a_secret_in_its_arguments() {
    let check = |system: System, expected: Expect| {
        let calls = [
            system.lookup(KEY),
            system.store(KEY, "{\"s3cret\"}"),
            system.clear(KEY),
        ];
        let mut text = String::new();
        for call in calls {
            assert!(!call.arguments.concat().contains("s3cret"));
            text += &format!("{} <<< {:?}\n", call.arguments.join(" "), call.input);
        }
        expected.assert_eq(&text);
    };
    check(
        System::SecretService,
        expect![[r#"
            lookup service gemini-cli-api-key account default-api-key <<< ""
            store --label=gemini-cli-api-key/default-api-key service gemini-cli-api-key account default-api-key xdg:schema org.freedesktop.Secret.Generic <<< "{\"s3cret\"}"
            clear service gemini-cli-api-key account default-api-key <<< ""
        "#]],
    );
    check(
        System::MacOs,
        expect![[r#"
            find-generic-password -s gemini-cli-api-key -a default-api-key -w <<< ""
            -i <<< "add-generic-password -U -s gemini-cli-api-key -a default-api-key -X 7b22733363726574227d\n"
            delete-generic-password -s gemini-cli-api-key -a default-api-key <<< ""
        "#]],
    );
}

#[cfg(target_os = "linux")]
#[test]
fn without_a_bus_no_client_is_started() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path().to_str().unwrap();
    for environment in [
        Environment::default(),
        Environment::from_iter([("XDG_RUNTIME_DIR", here)]),
        Environment::from_iter([("DBUS_SESSION_BUS_ADDRESS", "")]),
    ] {
        let opened = Keychain::open(&environment, SOON);
        assert!(matches!(opened, Err(KeychainError::NoBus)), "{opened:?}");
    }
}

/// A client that is a shell script, for what a real one does only once in a while.
#[cfg(unix)]
fn client(folder: &Path, script: &str, patience: Duration) -> Keychain {
    use std::os::unix::fs::PermissionsExt;
    let program = folder.join("client");
    std::fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o700)).unwrap();
    Keychain {
        system: System::SecretService,
        program,
        variables: Vec::new(),
        patience,
    }
}

#[cfg(unix)]
#[test]
fn a_client_that_waits_is_ended_at_the_deadline() {
    let folder = tempfile::tempdir().unwrap();
    let patience = Duration::from_millis(50);
    let keychain = client(folder.path(), "exec tail -f /dev/null", patience);
    let error = keychain.find().unwrap_err();
    assert_eq!(
        error.to_string(),
        "it has not answered within 50ms; it may be locked"
    );
}

#[cfg(unix)]
#[test]
fn what_a_client_says_is_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let find = |script: &str| match client(folder.path(), script, SOON).find() {
        Ok(Some(_)) => "a key".to_owned(),
        Ok(None) => "no key".to_owned(),
        Err(error) => error.to_string(),
    };
    assert_eq!(find("echo AIza-1"), "a key");
    assert_eq!(find("exit 1"), "no key");
    assert_eq!(
        find("echo two words"),
        "what it holds as gemini-cli-api-key is no key"
    );
    assert_eq!(
        find("echo 'no such bus' >&2; exit 1"),
        "it said: no such bus"
    );
    let forgetful = client(folder.path(), "[ $1 = store ]", SOON);
    let error = forgetful.store("AIza-1").unwrap_err();
    assert_eq!(error.to_string(), "it does not give back what was stored");
}
