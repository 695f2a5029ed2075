use expect_test::expect;
use pollux_model::{NetworkOptions, Reach, WebClient, WebLimits};

use super::*;
use crate::testing::MemoryScratch;

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
        read_file 451
        replace 779
        web_fetch 291
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
