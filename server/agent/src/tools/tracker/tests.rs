use std::sync::Arc;

use expect_test::expect;
use serde_json::{Value, json};

use crate::testing::{Bench, MemoryFiles, MemoryScratch, config};
use crate::{Equipment, ToolSet};

fn bench(scratch: &Arc<MemoryScratch>) -> Bench {
    let mut config = config(MemoryFiles::new(&[]));
    config.tools = ToolSet::built_in(&Equipment {
        scratch: Some(scratch.clone()),
        tracker: Some("s1/tracker".to_owned()),
        ..Equipment::default()
    });
    Bench::new(config)
}

fn file(id: &str, title: &str, dependencies: &[&str], parent: Option<&str>) -> String {
    let mut task = json!({
        "id": id, "title": title, "description": "d", "type": "task", "status": "open",
        "dependencies": dependencies, "fromTheTwin": 7,
    });
    if let Some(parent) = parent {
        task["parentId"] = parent.into();
    }
    task.to_string()
}

/// Three tasks of which `ccc` waits for `bbb`, and `bbb` for `aaa`.
fn three() -> Arc<MemoryScratch> {
    MemoryScratch::new(&[
        (
            "s1/tracker/aaaaaa.json",
            &file("aaaaaa", "first", &[], None),
        ),
        (
            "s1/tracker/bbbbbb.json",
            &file("bbbbbb", "second", &["aaaaaa"], Some("aaaaaa")),
        ),
        (
            "s1/tracker/cccccc.json",
            &file("cccccc", "third", &["bbbbbb"], None),
        ),
        ("s1/tracker/notes.txt", "not a task"),
        ("s1/tracker/dddddd.json", "not a task either"),
    ])
}

async fn told(bench: &Bench, name: &str, args: Value) -> String {
    let response = bench.call(name, args).await;
    let text = response.get("output").or(response.get("error"));
    text.unwrap().as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_new_task_is_a_file_with_six_hex_digits() {
    let scratch = MemoryScratch::new(&[]);
    let bench = bench(&scratch);
    let args = json!({ "title": "t", "description": "d", "type": "bug" });
    let output = told(&bench, "tracker_create_task", args).await;
    let files = scratch.files();
    let (name, text) = files.first_key_value().unwrap();
    let id = name.strip_prefix("s1/tracker/").unwrap();
    let id = id.strip_suffix(".json").unwrap();
    assert!(id.len() == 6 && id.bytes().all(|byte| byte.is_ascii_hexdigit()));
    assert_eq!(output, format!("Created [{id}] bug, open: t"));
    expect![[r#"
        {
          "id": "<id>",
          "title": "t",
          "description": "d",
          "type": "bug",
          "status": "open",
          "dependencies": []
        }"#]]
    .assert_eq(&text.replace(id, "<id>"));
}

#[tokio::test]
async fn calls_that_run_together_lose_nothing() {
    let scratch = MemoryScratch::new(&[]);
    let bench = bench(&scratch);
    let create = |number: usize| {
        let args = json!({ "title": number.to_string(), "description": "d", "type": "task" });
        bench.call("tracker_create_task", args)
    };
    futures_util::future::join_all((0..20).map(create)).await;
    assert_eq!(scratch.files().len(), 20);
}

#[tokio::test]
async fn tasks_are_listed_by_what_is_asked_for() {
    let bench = bench(&three());
    expect![[r#"
        [aaaaaa] task, open: first
        [bbbbbb] task, open: second (after aaaaaa)
        [cccccc] task, open: third (after bbbbbb)"#]]
    .assert_eq(&told(&bench, "tracker_list_tasks", json!({})).await);
    let children = json!({ "parentId": "aaaaaa", "type": "task", "status": "open" });
    expect!["[bbbbbb] task, open: second (after aaaaaa)"]
        .assert_eq(&told(&bench, "tracker_list_tasks", children).await);
    expect!["There are no such tasks."]
        .assert_eq(&told(&bench, "tracker_list_tasks", json!({ "status": "closed" })).await);
}

#[tokio::test]
async fn circles_are_refused() {
    let scratch = three();
    let before = scratch.files();
    let bench = bench(&scratch);
    let wait = |task: &str, dependency: &str| json!({ "taskId": task, "dependencyId": dependency });
    let mut refused = String::new();
    for (task, dependency) in [
        ("aaaaaa", "cccccc"),
        ("aaaaaa", "aaaaaa"),
        ("aaaaaa", "eeeeee"),
    ] {
        refused += &told(&bench, "tracker_add_dependency", wait(task, dependency)).await;
        refused.push('\n');
    }
    let update = json!({ "id": "aaaaaa", "dependencies": ["bbbbbb"] });
    refused += &told(&bench, "tracker_update_task", update).await;
    expect![[r#"
        the task cccccc waits for aaaaaa already, so aaaaaa cannot wait for it: that would be a circle
        the task aaaaaa cannot wait for itself
        there is no task eeeeee
        the task bbbbbb waits for aaaaaa already, so aaaaaa cannot wait for it: that would be a circle"#]]
    .assert_eq(&refused);
    assert_eq!(scratch.files(), before);
    expect!["Updated [cccccc] task, open: third (after bbbbbb, aaaaaa)"]
        .assert_eq(&told(&bench, "tracker_add_dependency", wait("cccccc", "aaaaaa")).await);
}

#[tokio::test]
async fn a_task_is_closed_after_what_it_waits_for() {
    let scratch = three();
    let bench = bench(&scratch);
    let close = |id: &str| json!({ "id": id, "status": "closed" });
    expect!["the task bbbbbb cannot be closed: it waits for aaaaaa, which is open"]
        .assert_eq(&told(&bench, "tracker_update_task", close("bbbbbb")).await);
    told(&bench, "tracker_update_task", close("aaaaaa")).await;
    expect!["Updated [bbbbbb] task, closed: second (after aaaaaa)"]
        .assert_eq(&told(&bench, "tracker_update_task", close("bbbbbb")).await);
    // What this code does not know is still there.
    expect![[r#"
        {
          "id": "bbbbbb",
          "title": "second",
          "description": "d",
          "type": "task",
          "status": "closed",
          "parentId": "aaaaaa",
          "dependencies": [
            "aaaaaa"
          ],
          "fromTheTwin": 7
        }"#]]
    .assert_eq(&told(&bench, "tracker_get_task", json!({ "id": "bbbbbb" })).await);
    expect![[r#"
        (x) [aaaaaa] task, closed: first
          (x) [bbbbbb] task, closed: second (after aaaaaa)
        ( ) [cccccc] task, open: third (after bbbbbb)"#]]
    .assert_eq(&told(&bench, "tracker_visualize", json!({})).await);
}

#[tokio::test]
async fn without_the_equipment_there_is_no_tracker() {
    let names = |equipment: &Equipment| -> usize {
        let tools = ToolSet::built_in(equipment);
        let names = tools.names();
        names
            .iter()
            .filter(|name| name.starts_with("tracker_"))
            .count()
    };
    let scratch = MemoryScratch::new(&[]);
    assert_eq!(names(&Equipment::default()), 0);
    let scratch_alone = Equipment {
        scratch: Some(scratch),
        ..Equipment::default()
    };
    assert_eq!(names(&scratch_alone), 0);
    let both = Equipment {
        tracker: Some("t".to_owned()),
        ..scratch_alone
    };
    assert_eq!(names(&both), 6);
}
