//! The package for Emacs, in a real Emacs, against the real binary; and eglot without the package.

use std::fs;
use std::time::Duration;

use expect_test::{Expect, expect};
use pollux_testkit::scripted_model::{Call, Reply, ScriptedModel};
use serde_json::json;

use crate::mcp::{expect_filled_in, world_with_form};
use crate::support::kill_script;
use crate::support::scripted_editor::{self, changed, rewrites, world_with};
use crate::support::talk::{calls, model, runs, says};
use crate::support::world::World;

const TESTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/emacs");
const PACKAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../editors/emacs");

/// Runs a script in an Emacs that has the package and nothing else, and compares what it reports.
async fn check(world: &World, server: &ScriptedModel, script: &str, wanted: Expect) {
    let mut emacs = world.command("emacs");
    emacs
        // Without `-Q`, which leaves out the folder where a distribution keeps eglot.
        .args(["--batch", "--no-init-file", "-L", PACKAGE, "-L", TESTS])
        .args(["-l", &format!("{TESTS}/{script}.el")])
        .env("POLLUX_PACKAGE", PACKAGE);
    scripted_editor::check(world, server, emacs, wanted).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_package_compiles_without_a_warning() {
    let world = World::new();
    let server = model([]).await;
    check(
        &world,
        &server,
        "tidy",
        expect![[r#"
        pollux-buffers.el
        pollux-cards.el
        pollux-chat.el
        pollux-hunks.el
        pollux-looking.el
        pollux-questions.el
        pollux-review.el
        pollux-server.el
        pollux-session.el
        pollux-transcript.el
        pollux-words.el
        pollux.el
        failed 0
    "#]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_talk_is_shown_as_it_comes_and_built_anew_from_its_events() {
    let world = world_with("notes.txt", "buy milk\n");
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
        windows 2 focus stays t
        opened t
        closed t
        read-only t
        typed draft
        built anew, in the chat *pollux*
        second turn t
        prompt is empty again t
        failed turn t t
        unsent unsent t
        header t
    "#]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_waits_says_why_and_is_sent_with_a_key() {
    let world = world_with("notes.txt", "one\n");
    let busy = || Reply::error(429, "RESOURCE_EXHAUSTED", "slow down").retry_delay("200s");
    let server = model([busy(), busy(), says("At last."), busy()]).await;
    check(
        &world,
        &server,
        "retry",
        expect![[r#"
        t t
        t nil
        stopped nil
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
        ✓ scout: Find it  61.5 s  Done in 3 turns
          ✓ Read a.rs
        ○ tester: Test it
          ○ tester: cargo test
          ○ Edit a.rs  +1 −1  ●
          ⚠ You and Pollux changed the same lines: a.rs. Yours are in the file; v goes there
        -- settled and opened
        ✓ scout: Find it  61.5 s  Done in 3 turns
          ✓ Read a.rs
        ○ tester: Test it
          ○ tester: cargo test
          ○ Edit a.rs  +1 −1  ●
            │ @@ line 2
            │ - a
            │ + b
          ✓ Conflict settled: a.rs
        stopped t and on t
    "#]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn questions_are_answered_prompts_wait_and_turns_are_stopped() {
    let world = world_with("notes.txt", "one\n");
    let server = model([
        runs("touch made"),
        says("Made it."),
        says("That was later."),
        runs("touch made2"),
        says("I leave it."),
        runs("touch made3"),
        says("As you wish."),
        Reply::new().chunk("Once upon a time").stall(),
    ])
    .await;
    check(&world, &server, "answers", expect![[r#"
        ┌ Run  touch made | │ in FOLDER | │ asks: the built-in rule for changes and commands wants your consent (write.toml, line 3) | └ y once · s session · w workspace · A always · n reject · r reject with a reason |  | ∙ waiting for your answer
        focus stays t Pollux asks
        too soon t
        made t
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
        made2 nil t
        made3 nil t
        stopped – Stopped
        mode plan
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
        asked Fill it in. | Your name?  = (empty)
        asked Fill it in. | Your name?  = (empty)
        asked How many? (optional) (a whole number)  = 3
        asked A note? (optional)  = none
        asked Which of them? (optional) (with ; between them)  = x
        asked Sure? (optional)  = (empty)
        asked Which size? (optional)  = large
        ✓ Answered: Ann; 3; ; x, y, or so; large
    "#]],
    )
    .await;
    expect_filled_in(&server);
}

#[tokio::test(flavor = "multi_thread")]
async fn terminals_are_told_where_an_agent_finds_the_editor() {
    let world = world_with("notes.txt", "one\n");
    let server = model([]).await;
    check(
        &world,
        &server,
        "environment",
        expect![[r#"
        in a container: port t token t
        in a container: folder t
        in a container: container 1
        after it: port nil token nil
        after it: folder nil
        after it: container nil
        over SSH: port t token t
        over SSH: folder t
        over SSH: container nil
        at home: port t token t
        at home: folder t
        at home: container nil
    "#]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn buffers_are_sent_edited_and_saved_as_they_are() {
    let world = world_with("notes.txt", "😀 smile\ncafe\u{301} two\nthree foo\nfour\n");
    fs::write(world.work().join("dos.txt"), "alpha\r\ngamma\r\n").unwrap();
    let server = model([]).await;
    check(
        &world,
        &server,
        "edits",
        expect![[r#"
        ok opened
        ok typed behind an emoji
        ok killed and yanked
        ok undone
        ok upcased
        ok replaced
        ok typed in a narrowed buffer
        ok sorted
        ok substituted
        ok a byte that is no text
        ok written anew
        applied t
        cursor moved with its line 4 10
        undone one/two/threetyped/four/
        ok edited and undone
        refused :json-false notes.txt has changed meanwhile
        untouched t
        read-only notes.txt is read-only
        ok whole again
        saved nil nil more
        where it was 1 t dos.txt
        ok crlf opened
        ok crlf typed
        sent alpha<CRLF>x<CRLF>gamma<CRLF>
        ok crlf edited
        text ALPHA/beta/x/gamma/
        ok line ends changed
        ok read again
        text from outside
    "#]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn hunks_are_drawn_and_named_as_they_are() {
    let world = world_with(
        "notes.txt",
        "one\nlet total = 2;\nthree\nfour\nfive\nsix\nseven",
    );
    let server = model([]).await;
    check(
        &world,
        &server,
        "drawing",
        expect![[r#"
        -- all kinds
        5-5  before: let total = [1];/
        5-20 pollux-added
        17-18 pollux-added-word
        26-26  before: gone/
        26-26 pollux-added
        31-36 pollux-removed
        36-36  before: FIVE/and more/▏ why?/
        40-45 pollux-conflict
        45-45   after: /Pollux wants instead:/SEVEN
        --
        status Pollux: 4 to review
        text untouched t t
        margin 2
        moved 2 proposed
        late message left alone 2
        -- a late message that fits
        20-20  before: let total = [1];/
        20-35 pollux-added
        32-33 pollux-added-word
        34-34   after:   keep C-c p k · reject C-c p r · 1 of 1
        --
        sent pollux.hunk.keep :revision=7 :index=0 here
        sent pollux.hunk.reject :revision=7 :index=0 here
        sent pollux.file.keep here
        sent pollux.file.reject here
        sent pollux.all.keep
        sent pollux.all.reject
        sent pollux.review.undo
        sent pollux.review.redo
        sent pollux.hunk.next :line=2 here
        sent pollux.hunk.previous :line=2 here
        sent pollux.conflict.mine :revision=7 :index=0 here
        sent pollux.conflict.theirs :revision=7 :index=0 here
        sent pollux.comments.send
        sent pollux.comment.add :line=2 :text=too short here
        -- nothing pending
        --
        status nil margin 0
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
        focus stays t a.txt open files 1
        listed pending   a.txt                                 3 ~ a.txt new 2
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
        rejected a.txt 22 ~ a.txt new 20
        rejected b.txt 22 ~ b.txt new 20
        rejected c.txt 22 ~ c.txt new 20
        undone c.txt c.txt new 20
        redone c.txt old 20
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
async fn nothing_that_is_typed_while_the_agent_edits_is_lost_or_moved() {
    let world = World::new();
    for name in ["a.txt", "b.txt"] {
        fs::write(world.work().join(name), changed(name, &[])).unwrap();
    }
    let edit = |(name, line): (&str, usize)| {
        let new: String = changed(name, &[line])
            .split_inclusive('\n')
            .filter(|text| !text.contains("old"))
            .collect();
        let args = json!({
            "file_path": name,
            "instruction": "change a line",
            "old_string": format!("{name} old {line}\n"),
            "new_string": new,
        });
        // A model takes its time, and so there is somebody who types meanwhile.
        Reply::new()
            .pause(Duration::from_millis(150))
            .call(Call::new("replace", args))
            .finish("STOP")
    };
    let places = [
        ("a.txt", 2),
        ("b.txt", 2),
        ("a.txt", 10),
        ("b.txt", 10),
        ("a.txt", 20),
    ];
    let server = model(places.map(edit).into_iter().chain([says("Done.")])).await;
    check(
        &world,
        &server,
        "typing",
        expect![[r#"
        typed where it was t t
        windows 1 t a.txt
        while t
        saved nil
    "#]],
    )
    .await;
    let read = |name: &str| fs::read_to_string(world.work().join(name)).unwrap();
    let typed = format!("a.txt old 5{}\n", read("typed"));
    assert_eq!(
        read("a.txt"),
        changed("a.txt", &[]).replace("a.txt old 5\n", &typed)
    );
    assert_eq!(read("b.txt"), changed("b.txt", &[]));
}

#[tokio::test(flavor = "multi_thread")]
async fn comments_are_sent_and_turns_taken_back() {
    let world = world_with("a.txt", &changed("a.txt", &[]));
    let server = model([rewrites("a.txt"), says("Done."), says("Noted.")]).await;
    check(
        &world,
        &server,
        "turns",
        expect![[r#"
        commented t t
        undone and redone
        rewound change it t 0
    "#]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_server_knows_what_is_looked_at() {
    let world = world_with("notes.txt", "😀 smile\ntwo\nthree\n");
    let server = model([]).await;
    check(
        &world,
        &server,
        "looking",
        expect![[r#"
        looks at notes.txt (:line 0 :character 2)
        nothing new 0
        something new 1
        selected (:start (:line 0 :character 2) :end (:line 2 :character 0))
        from the chat notes.txt []
    "#]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn eglot_alone_decides_by_code_actions() {
    let world = world_with("a.txt", &changed("a.txt", &[]));
    let server = model([rewrites("a.txt"), says("Done.")]).await;
    check(
        &world,
        &server,
        "plain",
        expect![[r#"
        in the buffer, unsaved t
        saved nil
    "#]],
    )
    .await;
    let text = fs::read_to_string(world.work().join("a.txt")).unwrap();
    assert_eq!(text, changed("a.txt", &[2, 10]));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_chat_goes_on_whenever_the_host_is_killed() {
    let (world, server) = kill_script::prepared().await;
    check(
        &world,
        &server,
        "kills",
        expect![[r#"
        goes on t
        in an answer offers C-c C-e stop says Pollux: nothing is running
        kept t
        at a question offers C-c C-e stop says Pollux: nothing is running
        made nil t
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
          C-c C-e continues · C-c C-r sends the prompt again
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
          C-c C-e continues · C-c C-r sends the prompt again
        .
        ▌ fifth
        .
        ✓ Write a.txt  +4 −3  ●●●
        .
        Done.
        --
        learned within two seconds t
    "#]],
    )
    .await;
    kill_script::expect_decided(&world);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stray_return_in_eglot_alone_allows_nothing() {
    let world = world_with("a.txt", "one\n");
    let server = model([runs("touch made"), says("Then not.")]).await;
    check(
        &world,
        &server,
        "question",
        expect![[r#"
        Choose an option:  Deny completed
        made nil
    "#]],
    )
    .await;
}
