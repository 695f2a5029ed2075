use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use expect_test::expect;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use pollux_exec::{Guard, Terminal};
use pollux_policy::shell::Destruction;

use super::*;
use crate::Keeper;

struct NoKeeper;

impl Keeper for NoKeeper {
    fn keep<'a>(
        &'a self,
        _: &'a str,
        _: &'a std::path::Path,
        _: &'a [Destruction],
    ) -> BoxFuture<'a, Result<(), String>> {
        async { Ok(()) }.boxed()
    }
}

fn everything() -> ToolSet {
    let shell = ShellSetup {
        guard: Guard {
            program: "nothing".into(),
            arguments: Vec::new(),
        },
        environment: Vec::new(),
        terminal: Terminal::Pipes,
        sandbox: None,
        inactivity: Some(Duration::from_secs(300)),
        longest_output: 40_000,
        keeper: Arc::new(NoKeeper),
        background: Arc::default(),
        changed_build_files: Arc::default(),
    };
    ToolSet::built_in(&Equipment {
        shell: Some(Arc::new(shell)),
        ..Equipment::default()
    })
}

/// Every request carries them, so every byte here is paid for again and again.
#[test]
fn declarations_are_short() {
    let mut shown = String::new();
    let mut total = 0;
    for tool in everything().declarations(ApprovalMode::Default, &BTreeSet::new()) {
        let bytes = tool.name.len() + tool.description.len() + tool.parameters.to_string().len();
        total += bytes;
        writeln!(shown, "{}: {bytes}", tool.name).unwrap();
    }
    writeln!(shown, "in all: {total}").unwrap();
    expect![[r#"
        list_directory: 495
        read_file: 451
        grep_search: 1057
        glob: 507
        replace: 779
        write_file: 296
        run_shell_command: 680
        list_background_processes: 120
        read_background_output: 340
        in all: 4725
    "#]]
    .assert_eq(&shown);
}

#[test]
fn every_declaration_is_a_schema_that_makes_sense() {
    for tool in everything().declarations(ApprovalMode::Default, &BTreeSet::new()) {
        let schema = &tool.parameters;
        assert_eq!(schema["type"], "object", "{}", tool.name);
        let named = schema["properties"].as_object().unwrap();
        let required = schema.get("required").and_then(Value::as_array);
        for name in required.into_iter().flatten() {
            assert!(named.contains_key(name.as_str().unwrap()), "{}", tool.name);
        }
        jsonschema::draft7::new(schema).unwrap();
    }
}

#[test]
fn tools_that_run_commands_are_there_only_where_commands_can_be_run() {
    assert_eq!(
        ToolSet::built_in(&Equipment::default()).names(),
        [
            "list_directory",
            "read_file",
            "grep_search",
            "glob",
            "replace",
            "write_file"
        ]
    );
    assert_eq!(
        everything().names()[6..],
        [
            "run_shell_command",
            "list_background_processes",
            "read_background_output"
        ]
    );
}
