//! Commands that look as if they only read, and what a rule does not cover: each is asked about, and has no effect
//! until somebody allows it.

use std::fs;

use serde_json::json;

use crate::support::talk::{Talk, calls, model, runs, says, with_model};
use crate::support::world::World;

/// One turn for each command, in which it is asked about and rejected.
async fn expect_asked(world: &World, commands: &[&str]) {
    let replies = commands
        .iter()
        .flat_map(|command| [runs(command), says("not then")]);
    let server = model(replies.collect::<Vec<_>>()).await;
    let mut talk = Talk::start(world, &server).await;
    for command in commands {
        talk.say("go on").await;
        let question = talk.event("approvalRequested").await;
        assert_eq!(question["subject"]["command"], *command, "{question}");
        talk.answer(&question, json!({ "kind": "deny" })).await;
        talk.rest_unasked().await;
    }
    talk.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn words_of_loops_and_here_strings_are_judged() {
    let world = World::new();
    fs::write(world.work().join("important.txt"), "one\ntwo\n").unwrap();
    expect_asked(
        &world,
        &[
            "for x in 'a[$(id > made)]'; do for y in $((x)); do ls; done; done",
            "for RANDOM in 'a[$(id > made)]'; do ls; done",
            "for HISTFILE in important.txt; do for HISTFILESIZE in 0; do ls; done; done",
            "for x in 'a[$(id > made)]'; do cat <<< $((x)); done",
            "cat <<< \"$GEMINI_API_KEY\"",
        ],
    )
    .await;
    assert!(!world.work().join("made").exists());
    let kept = fs::read_to_string(world.work().join("important.txt")).unwrap();
    assert_eq!(kept, "one\ntwo\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn git_in_a_bare_repository_of_the_workspace_is_asked_about() {
    let world = World::new();
    let docs = world.work().join("docs");
    fs::create_dir_all(docs.join("objects")).unwrap();
    fs::create_dir_all(docs.join("refs")).unwrap();
    fs::write(docs.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    fs::write(
        docs.join("config"),
        "[core]\n\tbare = true\n\tfsmonitor = touch made\n",
    )
    .unwrap();
    let call = json!({ "command": "git show", "dir_path": "docs" });
    let server = model([calls("run_shell_command", call), says("done")]).await;
    let mut talk = Talk::start(&world, &server).await;
    talk.say("look").await;
    let question = talk.event("approvalRequested").await;
    talk.answer(&question, json!({ "kind": "deny" })).await;
    talk.rest_unasked().await;
    talk.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn rules_for_wrappers_and_programs_do_not_cover_what_they_do_not_name() {
    let world = World::new();
    let folder = world.home().join(".gemini/policies");
    fs::create_dir_all(&folder).unwrap();
    let rule = "[[rule]]\ntoolName = \"run_shell_command\"\ndecision = \"allow\"\npriority = 100\n\
                commandPrefix = [\"find\", \"env\", \"sed\", \"sort\"]\n";
    fs::write(folder.join("mine.toml"), rule).unwrap();
    fs::write(world.work().join("a"), "one\n").unwrap();
    expect_asked(
        &world,
        &[
            "find . -name a -exec cp a made \\;",
            "env cp a made",
            "sed -n '1e touch made' a",
            "sort -o made a",
        ],
    )
    .await;
    assert!(!world.work().join("made").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn everyday_reading_runs_without_a_question() {
    let world = World::new();
    fs::write(world.work().join("a"), "b\na\nb\n").unwrap();
    let commands = [
        "sort a | uniq -c",
        "test -f a && echo y",
        "for f in a; do wc -l \"$f\"; done",
    ];
    let replies = commands
        .iter()
        .flat_map(|command| [runs(command), says("done")]);
    let server = model(replies.collect::<Vec<_>>()).await;
    let mut talk = Talk::start(&world, &server).await;
    for _ in commands {
        talk.say("look").await;
        talk.rest_unasked().await;
    }
    talk.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_variable_of_the_persons_environment_is_none_of_the_scripts_own() {
    let world = World::new();
    // Set by a part that never runs, so that what is printed comes from the environment.
    let server = model([runs("false && my_note=x; echo \"$my_note\""), says("done")]).await;
    let mut command = world.pollux(&["lsp"]);
    with_model(&mut command, &server);
    command.env("my_note", "sesame of the environment");
    let mut talk = Talk::start_in(&world.work(), World::start_trusting(command)).await;
    talk.say("go").await;
    let question = talk.event("approvalRequested").await;
    talk.answer(&question, json!({ "kind": "deny" })).await;
    talk.rest().await;
    let sent: String = server
        .requests()
        .iter()
        .map(|sent| sent.json().to_string())
        .collect();
    assert!(!sent.contains("sesame"), "{sent}");
    talk.close().await;
    world.expect_no_process_left().await;
}
