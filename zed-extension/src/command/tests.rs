use expect_test::expect;
use zed_extension_api::serde_json;

use super::*;

fn settings(text: &str) -> CommandSettings {
    serde_json::from_str(text).unwrap()
}

#[test]
fn a_program_is_started_as_the_door_for_editors() {
    expect![[r#"
        Command {
            command: "/usr/bin/pollux",
            args: [
                "lsp",
            ],
            env: [],
        }
    "#]]
    .assert_debug_eq(&to_run("/usr/bin/pollux".to_owned(), None));
}

#[test]
fn arguments_and_environment_of_the_settings_count() {
    let binary = settings(r#"{"arguments": ["lsp", "--no-share"], "env": {"B": "2", "A": "1"}}"#);
    expect![[r#"
        Command {
            command: "pollux",
            args: [
                "lsp",
                "--no-share",
            ],
            env: [
                (
                    "A",
                    "1",
                ),
                (
                    "B",
                    "2",
                ),
            ],
        }
    "#]]
    .assert_debug_eq(&to_run("pollux".to_owned(), Some(binary)));
}

#[test]
fn a_path_of_the_settings_is_taken_unless_it_is_empty() {
    let path = |text: &str| configured(Some(&settings(text)));
    assert_eq!(
        path(r#"{"path": "/opt/pollux"}"#),
        Some("/opt/pollux".to_owned())
    );
    assert_eq!(path(r#"{"path": " "}"#), None);
    assert_eq!(path(r#"{"arguments": ["lsp"]}"#), None);
    assert_eq!(configured(None), None);
}
