use std::collections::BTreeSet;
use std::io;
use std::sync::Mutex;

use expect_test::{Expect, expect};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use pollux_policy::ApprovalMode;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::testing::{Bench, MemoryFiles, config};
use crate::{Equipment, Ran, ToolSet};

/// Programs that print what they are told to and remember how they were run.
#[derive(Default)]
struct Scripted {
    results: Mutex<Vec<io::Result<Ran>>>,
    runs: Mutex<Vec<String>>,
}

impl Scripted {
    fn new(results: impl IntoIterator<Item = Ran>) -> Arc<Self> {
        let results = results.into_iter().map(Ok).collect();
        Arc::new(Self {
            results: Mutex::new(results),
            runs: Mutex::default(),
        })
    }
}

impl Programs for Scripted {
    fn run<'a>(&'a self, program: Program<'a>) -> BoxFuture<'a, io::Result<Ran>> {
        let run = format!(
            "{:?} in {} with {:?}",
            program.argv,
            program.folder.display(),
            program.input
        );
        self.runs.lock().unwrap().push(run);
        let result = self.results.lock().unwrap().remove(0);
        async { result }.boxed()
    }
}

fn printed(stdout: &str) -> Ran {
    Ran {
        stdout: stdout.to_owned(),
        code: Some(0),
        ..Ran::default()
    }
}

async fn found(programs: &Arc<Scripted>) -> Result<Discovered, DiscoveryError> {
    let root = Path::new("/nowhere");
    Discovered::find(
        programs.clone(),
        "./tools --list 'all of them'",
        Some("./tools call"),
        root,
    )
    .await
}

fn tools(discovered: Discovered) -> ToolSet {
    ToolSet::built_in(&Equipment {
        discovered,
        ..Equipment::default()
    })
}

/// The declarations that were discovered, as the model is told of them.
fn declared(tools: &ToolSet) -> String {
    let all = tools.declarations(ApprovalMode::Default, &BTreeSet::new());
    let ours = all.iter().filter(|one| one.name.starts_with(PREFIX));
    ours.map(|one| format!("{} {:?} {}\n", one.name, one.description, one.parameters))
        .collect()
}

async fn check_declared(stdout: &str, expected: Expect) {
    let programs = Scripted::new([printed(stdout)]);
    expected.assert_eq(&declared(&tools(found(&programs).await.unwrap())));
}

#[tokio::test]
async fn tools_13_a_wrapper_holds_declarations() {
    check_declared(
        r#"[{"function_declarations":[{"name":"x","description":"d"}]}]"#,
        expect![[r#"
            discovered_tool_x "d" {}
        "#]],
    )
    .await;
}

#[tokio::test]
async fn both_shapes_and_both_spellings_may_stand_side_by_side() {
    check_declared(
        r#"[
            {"name":"a","description":"d","parametersJsonSchema":{"type":"object","properties":{"p":{"type":"string"}}}},
            {"functionDeclarations":[{"name":"b","parameters":{"type":"object"}},{"description":"no name"}]},
            {"function_declarations":[{"name":"a","description":"again"}]},
            7
        ]"#,
        expect![[r#"
            discovered_tool_a "d" {"type":"object","properties":{"p":{"type":"string"},"wait_for_previous":{"type":"boolean","description":"True: run after the calls before it in this answer have ended."}}}
            discovered_tool_b "" {"type":"object","properties":{"wait_for_previous":{"type":"boolean","description":"True: run after the calls before it in this answer have ended."}}}
        "#]],
    )
    .await;
}

#[tokio::test]
async fn a_discovery_that_fails_says_why() {
    let ended = |ran: Ran| async {
        let programs = Scripted::new([ran]);
        let error = found(&programs).await.err().unwrap();
        format!("{error}\n")
    };
    let mut told = ended(printed("{}")).await;
    told += &ended(printed("tools!")).await;
    told += &ended(Ran {
        code: Some(3),
        stderr: "broken\n".to_owned(),
        ..Ran::default()
    })
    .await;
    told += &ended(Ran {
        signal: Some(9),
        ..Ran::default()
    })
    .await;
    told += &ended(Ran {
        output: Completeness::Cut,
        ..printed("[")
    })
    .await;
    let nothing =
        Discovered::find(Scripted::new([]), "'unclosed", None, Path::new("/nowhere")).await;
    told += &nothing.err().unwrap().to_string();
    expect![[r#"
        the discovery command must print a JSON array of tools: it is not an array
        the discovery command must print a JSON array of tools: it is not JSON: expected ident at line 1 column 2
        the discovery command ended badly (exit code 3): broken
        the discovery command ended badly (signal 9): 
        the discovery command printed more than 10485760 bytes
        `tools.discoveryCommand` is not a command: 'unclosed"#]]
    .assert_eq(&told);
}

async fn call(ran: Ran, args: Value) -> (Value, Vec<String>) {
    let listed = r#"[{"name":"x","parametersJsonSchema":{"type":"object","properties":{"n":{"type":"number"}},"additionalProperties":false}}]"#;
    let programs = Scripted::new([printed(listed), ran]);
    let mut config = config(MemoryFiles::new(&[]));
    config.tools = tools(found(&programs).await.unwrap());
    let response = Bench::new(config).call("discovered_tool_x", args).await;
    let runs = programs.runs.lock().unwrap().clone();
    (response, runs)
}

#[tokio::test]
async fn a_call_runs_the_call_command_with_the_name_it_knows() {
    let args = json!({ "n": 1, "wait_for_previous": true });
    let (response, runs) = call(printed("fine\n"), args).await;
    expect![[r#"{"output":"<untrusted_context>\nfine\n\n</untrusted_context>"}"#]]
        .assert_eq(&response.to_string());
    expect![[r#"
        [
            "[\"./tools\", \"--list\", \"all of them\"] in /nowhere with \"\"",
            "[\"./tools\", \"call\", \"x\"] in /nowhere with \"{\\\"n\\\":1}\"",
        ]
    "#]]
    .assert_debug_eq(&runs);
}

#[tokio::test]
async fn whatever_goes_wrong_is_an_error_with_all_that_is_known() {
    let warned = Ran {
        stderr: "careful".to_owned(),
        ..printed("fine")
    };
    let killed = Ran {
        signal: Some(9),
        ..Ran::default()
    };
    let mut told = String::new();
    for ran in [
        warned,
        killed,
        Ran {
            output: Completeness::Cut,
            ..printed("a")
        },
    ] {
        let (response, _) = call(ran, json!({})).await;
        assert_eq!(response["error_type"], "discovered_tool_execution_error");
        told += response["error"].as_str().unwrap();
        told += "\n\n";
    }
    expect![[r#"
        Stdout: <untrusted_context>
        fine
        </untrusted_context>
        Stderr: <untrusted_context>
        careful
        </untrusted_context>
        Error: (none)
        Exit Code: 0
        Signal: (none)

        Stdout: (empty)
        Stderr: (empty)
        Error: (none)
        Exit Code: (none)
        Signal: 9

        Stdout: <untrusted_context>
        a
        </untrusted_context>
        Stderr: (empty)
        Error: it printed more than 10485760 bytes
        Exit Code: 0
        Signal: (none)

    "#]]
    .assert_eq(&told);
}

#[tokio::test]
async fn arguments_that_do_not_fit_never_reach_the_program() {
    let (response, runs) = call(printed(""), json!({ "m": 1 })).await;
    assert_eq!(response["error_type"], "invalid_tool_params");
    assert_eq!(runs.len(), 1);
}

proptest! {
    #[test]
    fn any_output_is_read_or_refused(printed in "\\PC*|\\[(\\{\"name\":\"[a-c]\"\\},?){0,3}\\]") {
        if let Ok(declared) = declarations::parse(&printed) {
            prop_assert!(declared.iter().all(|one| !one.name.is_empty()));
        }
    }
}
