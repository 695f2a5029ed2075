use expect_test::expect;

use super::*;

#[test]
fn a_message_says_what_was_tried_and_what_to_do() {
    let reason = Reason::NoRelease {
        tag: "v1.2.3".to_owned(),
        why: "no network".to_owned(),
    };
    expect![[r#"Pollux is not on your PATH, and release v1.2.3 could not be looked up (no network). Install it and start Zed again, or say in settings.json where it is: "lsp": { "pollux": { "binary": { "path": "/path/to/pollux", "arguments": ["lsp"] } } }"#]]
    .assert_eq(&Missing::from(reason).to_string());
}
