//! The plugin for Neovim, in a real Neovim, against the real binary.

use std::fs;
use std::time::Duration;

use expect_test::{Expect, expect};
use pollux_testkit::scripted_model::{Call, Reply, ScriptedModel};
use serde_json::json;

use crate::mcp::{expect_filled_in, world_with_form};
use crate::support::kill_script;
use crate::support::scripted_editor::{self, changed, rewrites, world_with};
use crate::support::talk::{calls, model, runs, says, with_model};
use crate::support::world::World;

const TESTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/neovim");
const PLUGIN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../editors/neovim");

/// Runs a script in a Neovim that has the plugin and nothing else, and compares what it reports.
async fn check(world: &World, server: &ScriptedModel, script: &str, wanted: Expect) {
    let mut nvim = world.command("nvim");
    nvim.args(["--headless", "-u", "NONE", "-i", "NONE", "-n"])
        .args(["--cmd", &format!("set runtimepath^={PLUGIN}"), "-c"])
        .arg(format!("luafile {TESTS}/{script}.lua"))
        .env("POLLUX_TESTS", TESTS);
    let said = scripted_editor::check(world, server, nvim, wanted).await;
    // Whatever Neovim complains about is a mistake of the plugin.
    assert!(!said.contains("Error"), "{said}");
}

fn world_with_notes(text: &str) -> World {
    world_with("notes.txt", text)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_talk_is_shown_as_it_comes_and_built_anew_from_its_events() {
    let world = world_with_notes("buy milk\n");
    let steps = json!({ "todos": [
        { "description": "read", "status": "completed" },
        { "description": "answer", "status": "in_progress" },
    ] });
    let read = Reply::new()
        .thought("**Reading**\nThe notes come first.")
        .chunk("I look ")
        .chunk("at them.\n")
        .call(Call::new("read_file", json!({ "file_path": "notes.txt" })))
        .call(Call::new("write_todos", steps))
        .finish("STOP");
    let answer = Reply::new()
        .chunk("You want to\n\n- buy **milk**\n\n")
        .chunk("```sh\nbuy milk\n```\n")
        .finish("STOP");
    let broken = Reply::error(400, "INVALID_ARGUMENT", "the model has no idea");
    let server = model([read, answer, says("You are welcome."), broken]).await;
    check(
        &world,
        &server,
        "chat",
        expect![[r#"
        focus stays in the file true
        -- after the turn
        ▌ what is in the notes?
        .
        ▸ Reading
        .
        I look at them.
        .
        ✓ Read notes.txt
        ✓ Set 2 steps
        .
        You want to
        .
        - buy **milk**
        .
        ```sh
        buy milk
        ```
        .
        ☑ read  ◐ answer
        --
        windows 3 focus stays true
        opened true
        closed true
        closed windows 1 focus true
        opened again true
        built anew true
        second turn You are welcome. / ☑ read  ◐ answer
        prompt is empty again true
        failed turn   R send the prompt again · :PolluxNew begin anew · :checkhealth pollux
    "#]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_waits_says_why_and_is_sent_with_a_key() {
    let world = world_with_notes("one\n");
    let busy = || Reply::error(429, "RESOURCE_EXHAUSTED", "slow down").retry_delay("200s");
    let server = model([busy(), busy(), says("At last."), busy()]).await;
    check(
        &world,
        &server,
        "retry",
        expect![[r#"
        (attempt 1 of 10 failed) true
        true
        true
        stopped
    "#]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sub_agents_are_set_in_and_one_call_is_stopped() {
    let world = world_with("notes.txt", "one\n");
    let waits = runs("mkfifo never && touch begun && cat never");
    let server = model([waits, says("Never mind.")]).await;
    check(
        &world,
        &server,
        "agents",
        expect![[r#"
        -- at work
        ✓ scout: Find it  Done in 3 turns
          ✓ Read a.rs
        ○ tester: Test it
          ○ tester: cargo test
          ○ Edit a.rs  +1 −1  ●
          ⚠ You and Pollux changed the same lines: a.rs. Yours are in the file; gd goes there
        -- settled and opened
        ✓ scout: Find it  Done in 3 turns
          ✓ Read a.rs
        ○ tester: Test it
          ○ tester: cargo test
          ○ Edit a.rs  +1 −1  ●
            │ @@ line 2
            │ - a
            │ + b
          ✓ Conflict settled: a.rs
        stopped true and on true
    "#]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn questions_are_answered_prompts_wait_and_turns_are_stopped() {
    let world = world_with_notes("one\n");
    let server = model([
        runs("touch made"),
        says("Made it."),
        says("That was later."),
        runs("touch made2"),
        says("I leave it."),
        runs("touch made3"),
        says("As you wish."),
        runs("rm notes.txt"),
        says("It stays."),
        Reply::new().chunk("Once upon a time").stall(),
    ])
    .await;
    check(&world, &server, "answers", expect![[r#"
        ┌ Run  touch made | │ in FOLDER | │ asks: the built-in rule for changes and commands wants your consent (write.toml, line 3) | └ y once · s session · w workspace · A always · n reject · r reject with a reason |  | ∙ waiting for your answer 
        focus stays true notices 0 mode n
        status Pollux asks
        yanked ▌ make it | 
        made 1
        -- allowed, steered and queued
        ▌ make it
        .
        ✓ Run touch made
        .
        ✓ Allowed once: Run touch made
        .
        ▌ → in a hurry
        .
        Made it.
        .
        ▌ later
        .
        That was later.
        --
        noticed Pollux: asks: Run touch made2  (:PolluxApprove, :PolluxDeny)
        made2 0
        made3 0 true
        still asked 1 1
        stopped – Stopped
        header %#PolluxTitle# make it%* %<%=gemini-2.5-pro · plan 
    "#]]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_form_of_a_server_is_filled_in() {
    let world = world_with_form();
    fs::write(world.work().join("notes.txt"), "one\n").unwrap();
    let server = model([calls("mcp_s_form", json!({})), says("All done.")]).await;
    check(
        &world,
        &server,
        "form",
        expect![[r#"
        input Fill it in. | Your name? = (empty)
        notice Pollux: this wants an answer
        input Fill it in. | Your name? = (empty)
        input How many? (optional) (a whole number) = 3
        input A note? (optional) = none
        select Which of them? (optional): Done, [x] x, [ ] y, or so, [ ] z
        select Which of them? (optional): Done, [x] x, [x] y, or so, [ ] z
        select Sure? (optional): Yes, No, No answer
        select Which size? (optional): large (as it stands), small, No answer
        ✓ Answered: Ann; 3; ; x, y, or so; large
    "#]],
    )
    .await;
    expect_filled_in(&server);
}

#[tokio::test(flavor = "multi_thread")]
async fn terminals_are_told_where_an_agent_finds_the_editor() {
    let world = world_with_notes("one\n");
    let server = model([]).await;
    check(
        &world,
        &server,
        "environment",
        expect![[r#"
        in a container: port true token true
        in a container: folder true
        in a container: container 1
        after it: port false token false
        after it: folder false
        after it: container -
        over SSH: port true token true
        over SSH: folder true
        over SSH: container -
        at home: port true token true
        at home: folder true
        at home: container -
    "#]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_are_kept_and_the_server_knows_what_is_looked_at() {
    let world = world_with_notes("one\n😀two\nthree\nfour\n");
    let replies = ["Hello.", "Numbers.", "Something.", "I am."];
    let server = model(replies.map(says)).await;
    let mut terminal = world.pollux(&["run", "--skip-trust", "-p", "from the terminal"]);
    with_model(&mut terminal, &server);
    assert!(terminal.output().await.unwrap().status.success());
    check(
        &world,
        &server,
        "sessions",
        expect![[r#"
        looks at notes.txt 0 0 0
        cursor behind an emoji true
        selected 1 0 3 0
        problems 1 1
        a new page shows what was before
        another session true
        resumed 3 sessions; Resume, Delete
        goes on true true
        left what is this? / something else
        health true true
    "#]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn hunks_are_drawn_and_named_as_they_are() {
    let world = world_with_notes("one\nlet total = 2;\nthree\nfour\nfive\nsix\nseven\n");
    let server = model([]).await;
    check(
        &world,
        &server,
        "drawing",
        expect![[r#"
        -- all kinds
        line 1 above 1: let total = [1]; PolluxRemoved
        line 1 to 1 PolluxAddedWord 12-13
        line 1 to 2 PolluxAdded
        line 3 above 1: gone PolluxRemoved
        line 4 below 1: FIVE PolluxAdded
        line 4 below 2: and more PolluxAdded
        line 4 below 3: ▏ why? PolluxComment
        line 4 to 5 PolluxRemoved
        line 6 below 1: Pollux wants instead: PolluxConflict
        line 6 below 2: SEVEN PolluxTheirs
        line 6 to 6 PolluxMine
        --
        |one
        |let total = 1;
        |┃ let total = 2;
        |three
        |gone
        |▁ four
        |┆ five
        |FIVE
        |and more
        |▏ why?
        |six
        |! seven
        |Pollux wants instead:
        |SEVEN
        |~
        |~
        status Pollux: 4 to review
        text untouched true true
        moved 7 2 proposed
        late message left alone 2
        -- a late message that fits
        line 2 above 1: let total = [1]; PolluxRemoved
        line 2 to 2 PolluxAddedWord 12-13
        line 2 to 3 PolluxAdded
        line 2 hint: keep \pk · reject \pr · 1 of 1
        --
        sent pollux.hunk.keep revision=7 index=0 notes.txt
        sent pollux.hunk.reject revision=7 index=0 notes.txt
        sent pollux.file.keep notes.txt
        sent pollux.review.undo
        sent pollux.review.redo
        sent pollux.hunk.next line=2 notes.txt
        sent pollux.hunk.previous line=2 notes.txt
        sent pollux.comment.add line=2 text=too short notes.txt
        sent pollux.all.reject
        -- nothing pending
        --
        status true
    "#]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn buffers_are_edited_saved_and_sent_whole() {
    let world = world_with_notes("one\ntwo\nthree\nfour\n");
    let server = model([]).await;
    check(
        &world,
        &server,
        "edits",
        expect![[r#"
        applied true
        cursor moved with its line 1 true threetyped
        undone one / threetyped
        two hunks true messages 1 changes 3
        refused false notes.txt has changed meanwhile
        untouched true
        the room agrees synced
        whole again
        saved true ONE more false
        where it was true true
    "#]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_other_language_servers_are_asked_for_a_client_of_mcp() {
    let world = world_with("a.txt", "😀 total and more\n");
    fs::write(world.work().join("b.txt"), "def total\nuse total\n").unwrap();
    let server = model([]).await;
    check(
        &world,
        &server,
        "queries",
        expect![[r#"
        alone: the editor says: no language server of this Neovim is there for this file
        it counts in utf-8
        definition 1 hidden 0
          b.txt:1:5 def total
        references 4 hidden 0
          a.txt:1:3 😀 total and more
          a.txt:2:3 é total
          b.txt:1:5 def total
          b.txt:2:5 use total
        nothing 0 hidden 0
        no name: the editor says: words: `def` is no name
        moved: the editor says: it would also have to create, move or delete files
        proposed a.txt 1
        proposed b.txt 1
        not yet 😀 total and more / use total
        decided kept
        decided kept
        renamed 😀 sum and more / é sum / use sum
    "#]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_talk_is_only_ever_appended_to() {
    let world = World::new();
    let server = model([]).await;
    check(
        &world,
        &server,
        "long",
        expect![[r#"
        lines 3999
        last ✓ Read file 400-5
        written less than ten times what stands there true
    "#]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nine_hunks_in_three_files_are_decided_by_keyboard() {
    let world = World::new();
    let names = ["a.txt", "b.txt", "c.txt"];
    for name in names {
        fs::write(world.work().join(name), changed(name, &[])).unwrap();
    }
    let server = model(names.map(rewrites).into_iter().chain([says("Done.")])).await;
    check(
        &world,
        &server,
        "review",
        expect![[r#"
        -- the turn
        ▌ change them
        .
        ✓ Write a.txt  +4 −3  ●●●
        ✓ Write b.txt  +4 −3  ●●●
        ✓ Write c.txt  +4 −3  ●●●
        .
        Done.
        --
        status Pollux: 9 to review
        focus stays true a.txt files opened 1
        open file a.txt new 2 a.txt new 2
        listed 9 ~ a.txt new 2
        kept a.txt:3
        kept a.txt:11
        rejected a.txt:22
        kept b.txt:3
        kept b.txt:11
        rejected b.txt:22
        kept c.txt:3
        kept c.txt:11
        rejected c.txt:22
        left 0
        rejected a.txt:22 b.txt:22 c.txt:22
        undone c.txt c.txt new 20
        redone c.txt old 20
        offered a.txt:22  + a.txt new 20
        applied again a.txt new 20
    "#]],
    )
    .await;
    for name in names {
        let text = fs::read_to_string(world.work().join(name)).unwrap();
        assert_eq!(text, changed(name, &[2, 10]), "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn conflicts_comments_and_turns_have_their_commands() {
    let world = world_with("a.txt", &changed("a.txt", &[]));
    let server = model([rewrites("a.txt"), says("Done."), says("I see.")]).await;
    check(
        &world,
        &server,
        "turns",
        expect![[r#"
            after the turn conflict pending pending / a.txt old 2 mine
            theirs pending pending / a.txt new 2
            undone conflict pending pending / a.txt old 2 mine
            mine pending pending / a.txt old 2 mine
            comments are sent
            turn undone a.txt old 2 mine / a.txt old 10 / 31 typed later
            turn done again a.txt old 2 mine / a.txt new 10 / 32 typed later
            -- the first turn
            ▌ change them
            .
            ✓ Write a.txt  +4 −3  ●●●
            ✓ Conflict settled: a.txt
            .
            Done.
            --
            its edits a.txt new 10
            chat 1 true
            rewound a.txt old 2 mine / a.txt old 10 / typed later
        "#]],
    )
    .await;
    let requests = server.requests();
    let sent = requests.last().unwrap().json().to_string();
    for comment in ["why this?", "and this?"] {
        assert!(sent.contains(comment), "{sent}");
    }
}

/// One of the files that the agent edits besides the one that is typed into.
fn other(number: usize) -> String {
    format!("other{number}.txt")
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_that_is_typed_while_the_agent_edits_is_lost_or_moved() {
    let world = World::new();
    let others: Vec<String> = (0..20).map(other).collect();
    let names = others.iter().map(String::as_str).chain(["a.txt"]);
    for name in names {
        fs::write(world.work().join(name), changed(name, &[])).unwrap();
    }
    let edit = |name: &str, line: usize| {
        let args = json!({
            "file_path": name,
            "instruction": "change a line",
            "old_string": format!("{name} old {line}\n"),
            "new_string": format!("{name} new {line}\n{name} more\n"),
        });
        Call::new("replace", args)
    };
    // Each time the file that is typed into, above or below, and four others.
    let rounds = others.chunks(4).zip([2, 6, 10, 20, 25]);
    let round = |(four, line): (&[String], usize)| {
        // A model that takes its time, so that there is something to type meanwhile.
        let first = Reply::new().pause(Duration::from_millis(300));
        let first = first.call(edit("a.txt", line));
        let all = four
            .iter()
            .fold(first, |reply, name| reply.call(edit(name, 10)));
        all.finish("STOP")
    };
    let server = model(rounds.map(round).chain([says("Done.")])).await;
    check(
        &world,
        &server,
        "typing",
        expect![[r#"
            every key in its line true
            still here true a.txt windows opened 0 files opened 0
            the agent's lines 35 a.txt new 2, a.txt new 6, a.txt new 10, a.txt new 20, a.txt new 25
            the others true
            the room agrees
        "#]],
    )
    .await;
    for name in &others {
        let text = fs::read_to_string(world.work().join(name)).unwrap();
        assert_eq!(text, changed(name, &[10]), "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_chat_goes_on_whenever_the_host_is_killed() {
    let (world, server) = kill_script::prepared().await;
    check(
        &world,
        &server,
        "kills",
        expect![[r#"
        goes on true
        in an answer offers C stop says Pollux: nothing is running
        kept true
        at a question offers C stop says Pollux: nothing is running
        made 0 true
        -- at the end
        ▌ first
        .
        one
        .
        ▌ second
        .
        two
        .
        ▌ third
        .
        half an answer
        .
        – Interrupted: the turn was interrupted because Pollux ended in the middle of it
          C continue · R send the prompt again
        .
        ▌ Continue where you were interrupted.
        .
        the other half
        .
        ▌ fourth
        .
        ✗ Run touch made  The call was interrupted before it returned a result.
        .
        – Interrupted: the turn was interrupted because Pollux ended in the middle of it
          C continue · R send the prompt again
        .
        ▌ fifth
        .
        ✓ Write a.txt  +4 −3  ●●●
        .
        Done.
        --
        learned within two seconds true
    "#]],
    )
    .await;
    kill_script::expect_decided(&world);
}
