use expect_test::expect;

use super::*;

fn facts() -> SessionFacts {
    SessionFacts {
        date: CalendarDate::of_local_seconds(1_794_787_200),
        operating_system: "linux".to_owned(),
        folders: vec![PathBuf::from("/r/p"), PathBuf::from("/r/lib")],
        temporary_folder: PathBuf::from("/home/u/.gemini/tmp/p"),
        trees: vec!["/r/p/\n a.rs".to_owned()],
    }
}

#[test]
fn the_first_message_names_the_facts_and_then_what_was_loaded() {
    let servers = [ServerInstructions {
        server: "db".to_owned(),
        text: " Ask before a write. ".to_owned(),
    }];
    expect![[r#"
        <session_context>
        Facts about this session; they need no answer.
        Date: Monday, November 16, 2026
        Operating system: linux
        Temporary folder: /home/u/.gemini/tmp/p
        Workspace folders:
        - /r/p
        - /r/lib
        Files at the start of the session (`...` marks what is not shown):
        /r/p/
         a.rs
        </session_context>

        <loaded_context>
        <extension_context>
        E
        </extension_context>
        <project_context>
        P

        --- Instructions of the MCP server db ---
        Ask before a write.
        --- End of instructions of db ---
        </project_context>
        </loaded_context>"#]]
    .assert_eq(&session_context(&facts(), "E", "P", &servers));
}

#[test]
fn nothing_loaded_leaves_no_empty_tags() {
    let facts = SessionFacts {
        trees: Vec::new(),
        ..facts()
    };
    let text = session_context(&facts, "", "", &[]);
    assert!(text.ends_with("- /r/lib\n</session_context>"), "{text}");
}

#[test]
fn days_are_spelled_as_the_calendar_has_them() {
    for (seconds, expected) in [
        (0, "Thursday, January 1, 1970"),
        (-1, "Wednesday, December 31, 1969"),
        (951_782_400, "Tuesday, February 29, 2000"),
        (4_107_542_400, "Monday, March 1, 2100"),
    ] {
        assert_eq!(
            CalendarDate::of_local_seconds(seconds).spelled_out(),
            expected
        );
    }
    for seconds in [i64::MIN, i64::MAX] {
        assert!(
            !CalendarDate::of_local_seconds(seconds)
                .spelled_out()
                .is_empty()
        );
    }
}

#[test]
fn a_talkative_server_is_cut() {
    let servers = [ServerInstructions {
        server: "s".to_owned(),
        text: "ä".repeat(MAX_INSTRUCTIONS_BYTES),
    }];
    let text = session_context(&facts(), "", "", &servers);
    assert!(text.contains("ä\n[truncated]\n--- End"));
    assert!(text.len() < MAX_INSTRUCTIONS_BYTES + 1_000);
}
