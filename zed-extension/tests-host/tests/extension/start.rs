use expect_test::expect;
use pollux_zed_host::{Architecture, Os};
use serde_json::json;

use super::{answer, editor, loaded};

#[test]
fn a_program_on_the_path_is_started_as_the_door_for_editors() {
    let mut extension = loaded(editor().with_on_path("/usr/local/bin/pollux"));
    assert_eq!(answer(&mut extension), "/usr/local/bin/pollux lsp");
    expect!["which pollux"].assert_eq(&extension.zed().take_log());
}

#[test]
fn the_settings_come_before_the_path() {
    let settings = json!({"binary": {
        "path": "/opt/pollux",
        "arguments": ["lsp", "--no-share"],
        "env": {"POLLUX_LOG": "debug", "A": "1"},
    }});
    let zed = editor()
        .with_on_path("/usr/bin/pollux")
        .with_settings(settings);
    let mut extension = loaded(zed);
    assert_eq!(
        answer(&mut extension),
        "A=1 POLLUX_LOG=debug /opt/pollux lsp --no-share"
    );
    assert_eq!(extension.zed().take_log(), "");
}

#[test]
fn arguments_alone_do_not_hide_the_path() {
    let settings =
        json!({"binary": {"path": null, "arguments": ["lsp", "--no-share"], "env": null}});
    let zed = editor()
        .with_on_path("/usr/bin/pollux")
        .with_settings(settings);
    assert_eq!(answer(&mut loaded(zed)), "/usr/bin/pollux lsp --no-share");
}

#[test]
fn without_a_program_and_a_release_the_message_says_what_to_do() {
    let mut extension = loaded(editor());
    expect![[r#"Pollux is not on your PATH, and release v0.1.0 could not be looked up (no such release). Install it and start Zed again, or say in settings.json where it is: "lsp": { "pollux": { "binary": { "path": "/path/to/pollux", "arguments": ["lsp"] } } }"#]]
    .assert_eq(&answer(&mut extension));
    expect![[r#"
        which pollux
        status of pollux: downloading
        release v0.1.0 of pollux.example/pollux
        status of pollux: failed: Pollux is not on your PATH, and release v0.1.0 could not be looked up (no such release). Install it and start Zed again, or say in settings.json where it is: "lsp": { "pollux": { "binary": { "path": "/path/to/pollux", "arguments": ["lsp"] } } }"#]]
    .assert_eq(&extension.zed().take_log());
}

#[test]
fn on_a_processor_without_a_release_nothing_is_asked_for() {
    let mut extension = loaded(editor().with_platform(Os::Linux, Architecture::X86));
    let message = answer(&mut extension);
    assert!(
        message.contains("it is not built for 32-bit processors"),
        "{message}"
    );
    expect!["which pollux"].assert_eq(&extension.zed().take_log());
}

#[test]
fn settings_that_zed_cannot_read_are_what_the_message_is_about() {
    let zed = editor().with_broken_settings("settings.json:3: expected a comma");
    assert_eq!(
        answer(&mut loaded(zed)),
        "settings.json:3: expected a comma"
    );
}
