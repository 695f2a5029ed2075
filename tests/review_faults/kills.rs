//! `kill -9` at any moment: every file is whole, what was edited is in the review, and nothing is left behind.

use std::fs;
use std::time::Duration;

use pollux_testkit::SplitMix64;
use pollux_testkit::scripted_model::{Call, Reply, Script, ScriptedModel};
use serde_json::json;
use tokio::time::sleep;

use super::{editor, end, left_over, rounds, run_command, run_writes};
use crate::support::never;
use crate::support::plain::{pending_in, review, review_where};
use crate::support::talk::says;
use crate::support::world::{World, kill};

fn old(name: &str) -> String {
    format!("old {name}\n").repeat(2_000)
}

fn new(name: &str) -> String {
    format!("new {name}\n").repeat(2_000)
}

/// A model that has these files written, all at once, and may be left before its end.
async fn writing(names: &[String]) -> ScriptedModel {
    let calls = names.iter().fold(Reply::new(), |reply, name| {
        let arguments = json!({ "file_path": name, "content": new(name) });
        reply.call(Call::new("write_file", arguments))
    });
    let script = [calls.finish("STOP"), says("done")];
    ScriptedModel::start(script.into_iter().fold(Script::new(), Script::reply)).await
}

/// The moment of a kill is what is tried out; nothing waits for it to be long enough.
async fn some_time(random: &mut SplitMix64, most: u64) {
    sleep(Duration::from_micros(random.next_u64() % (most * 1000))).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn runs_that_are_killed_leave_whole_files_and_a_whole_review() {
    let world = World::new();
    let mut random = SplitMix64::new(7);
    let count = rounds(20, 200);
    for round in 0..count {
        let name = format!("f{round}.txt");
        fs::write(world.work().join(&name), old(&name)).unwrap();
        let server = writing(&[name]).await;
        let mut run = run_command(&world, &server).spawn().unwrap();
        server.next_request().await;
        match round % 4 {
            // It has made its edit, and is about to say so.
            0 => drop(server.next_request().await),
            _ => some_time(&mut random, 200).await,
        }
        run.kill().await.unwrap();
    }
    run_writes(&world, "last.txt", "last\n").await;
    assert_eq!(left_over(&world), Vec::<String>::new());
    let (editor, door) = editor(&world).await;
    let mut made = 0;
    for round in 0..count {
        let name = format!("f{round}.txt");
        let text = fs::read_to_string(world.work().join(&name)).unwrap();
        let is_new = text == new(&name);
        assert!(is_new || text == old(&name), "{name} is torn");
        pending_in(&editor, &name, usize::from(is_new)).await;
        made += usize::from(is_new);
    }
    assert!(made >= count / 4, "{made} of {count} had made their edit");
    editor
        .request(
            "workspace/executeCommand",
            json!({ "command": "pollux.all.reject", "arguments": [] }),
        )
        .await
        .unwrap();
    review_where(&editor, |review| {
        review["files"].as_array().unwrap().is_empty()
    })
    .await;
    for round in 0..count {
        let name = format!("f{round}.txt");
        let text = fs::read_to_string(world.work().join(&name)).unwrap();
        assert_eq!(text, old(&name), "{name}");
    }
    end(&world, editor, door).await;
}

/// The host of an editor, during the edits of a run and during a decision about all of them.
#[tokio::test(flavor = "multi_thread")]
async fn hosts_that_are_killed_leave_whole_files_and_a_whole_review() {
    let mut random = SplitMix64::new(11);
    for round in 0..rounds(4, 100) {
        let world = World::new();
        let names: Vec<String> = (0..8).map(|number| format!("f{number}.txt")).collect();
        for name in &names {
            fs::write(world.work().join(name), old(name)).unwrap();
        }
        let (editor, door) = editor(&world).await;
        let server = writing(&names).await;
        let mut run = run_command(&world, &server).spawn().unwrap();
        let waiting = editor.start_request("pollux/snapshot", never()).await;
        let host = world.host();
        server.next_request().await;
        some_time(&mut random, 80).await;
        kill(host);
        waiting.result().await.unwrap_err();
        // The run goes on without that host, or with the next one.
        run.wait().await.unwrap();
        for name in &names {
            let text = fs::read_to_string(world.work().join(name)).unwrap();
            assert_eq!(text, new(name), "round {round}: {name}");
            pending_in(&editor, name, 1).await;
        }
        let waiting = editor.start_request("pollux/snapshot", never()).await;
        let command = if round % 2 == 0 {
            "pollux.all.reject"
        } else {
            "pollux.all.keep"
        };
        let order = json!({ "command": command, "arguments": [] });
        let ordered = editor
            .start_request("workspace/executeCommand", order.clone())
            .await;
        some_time(&mut random, 60).await;
        kill(world.host());
        // Whether the answer was quicker is nobody's business.
        let _answered_or_lost = ordered.result().await;
        waiting.result().await.unwrap_err();
        if !review(&editor).await["files"]
            .as_array()
            .unwrap()
            .is_empty()
        {
            editor
                .request("workspace/executeCommand", order)
                .await
                .unwrap();
        }
        review_where(&editor, |review| {
            review["files"].as_array().unwrap().is_empty()
        })
        .await;
        for name in &names {
            let text = fs::read_to_string(world.work().join(name)).unwrap();
            let expected = if round % 2 == 0 { old(name) } else { new(name) };
            assert_eq!(text, expected, "round {round}: {name}");
        }
        run_writes(&world, "last.txt", "last\n").await;
        assert_eq!(left_over(&world), Vec::<String>::new(), "round {round}");
        end(&world, editor, door).await;
    }
}
