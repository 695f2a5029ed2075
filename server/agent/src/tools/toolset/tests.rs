use expect_test::expect;
use pollux_model::{NetworkOptions, Reach, WebClient, WebLimits};

use super::*;
use crate::testing::{MemoryScratch, shell_setup};

/// Everything that there is.
fn whole() -> ToolSet {
    let scratch = MemoryScratch::new(&[]);
    let web = WebClient::new(
        NetworkOptions::default(),
        Reach::Public,
        WebLimits::default(),
    );
    ToolSet::built_in(&Equipment {
        scratch: Some(scratch.clone()),
        topics: Offered::Yes,
        todos: Offered::Yes,
        questions: Offered::Yes,
        plans: Some(PlansFolder::Scratch(scratch, "plans".to_owned())),
        tracker: Some("tracker".to_owned()),
        web: Some(Arc::new(web)),
        web_search: Offered::Yes,
        shell: Some(Arc::new(shell_setup())),
        ..Equipment::default()
    })
}

#[test]
fn tools_stand_in_the_order_of_the_twin_and_cost_little() {
    let declared = whole().declarations(ApprovalMode::Default, &BTreeSet::new());
    let line = |tool: &ToolDeclaration| {
        let schema = tool.parameters.to_string();
        let mark = match schema.contains(WAIT_FOR_PREVIOUS) {
            true => ", may wait",
            false => "",
        };
        let bytes = tool.name.len() + tool.description.len() + schema.len();
        format!("{} {bytes}{mark}\n", tool.name)
    };
    let lines: String = declared.iter().map(line).collect();
    expect![[r#"
        update_topic 513, may wait
        list_directory 495
        read_file 451
        grep_search 1057
        glob 507
        replace 779
        write_file 296
        web_fetch 291
        run_shell_command 680
        list_background_processes 120
        read_background_output 340
        google_web_search 195
        ask_user 733
        write_todos 516
        enter_plan_mode 234
        tracker_create_task 549, may wait
        tracker_update_task 550, may wait
        tracker_get_task 301, may wait
        tracker_list_tasks 422, may wait
        tracker_add_dependency 409, may wait
        tracker_visualize 193, may wait
    "#]]
    .assert_eq(&lines);
}

#[test]
fn every_declaration_is_a_schema_that_makes_sense() {
    for tool in whole().declarations(ApprovalMode::Default, &BTreeSet::new()) {
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
    let without = ToolSet::built_in(&Equipment::default());
    let is_shell = |name: &String| name.contains("shell") || name.contains("background");
    assert!(!without.names().iter().any(is_shell));
    let names = whole();
    let shell: Vec<String> = names.names().into_iter().filter(is_shell).collect();
    assert_eq!(
        shell,
        [
            "run_shell_command",
            "list_background_processes",
            "read_background_output"
        ]
    );
}
