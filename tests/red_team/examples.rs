//! Words that belong to no command, programs that do more than read, and secrets that leave through reads.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use serde_json::json;

use super::{allow, expect_asked_in};
use crate::support::talk::{Talk, model, runs, says, with_model};
use crate::support::world::World;

/// What the shell evaluates though it belongs to no command.
const EVALUATED: &[&str] = &[
    "for x in 'a[$(id > made)]'; do for y in $((x)); do ls; done; done",
    "for RANDOM in 'a[$(id > made)]'; do ls; done",
    "for SECONDS in 'a[$(id > made)]'; do ls; done",
    "for OPTIND in 'a[$(id > made)]'; do ls; done",
    "for HISTFILE in important.txt; do for HISTFILESIZE in 0; do ls; done; done",
    "for i in $((PATH=1)); do ls; done",
    "for i in $((x++)); do ls; done",
    "for x in 'a[$(id > made)]'; do case $((x)) in 1) ls;; esac; done",
    "for x in 'a[$(id > made)]'; do case 1 in $((x))) ls;; esac; done",
    "for x in 'a[$(id > made)]'; do cat <<< $((x)); done",
    "for x in 'a[$(id > made)]'; do\ncat <<E\n$((x))\nE\ndone",
    "x='a[$(id > made)]'; ls $((x))",
    "x='a[$(id > made)]'; ls > /dev/null < $((x))",
    "x='a[$(id > made)]'; [[ $x -eq 1 ]] && ls",
    "[[ a[\\$(id > made)] -eq 1 ]] && ls",
    "test -v 'a[$(id > made)]' && ls",
    "[[ -v 'a[$(id > made)]' ]] && ls",
    "read 'a[$(id > made)]' <<< x",
    "printf -v 'a[$(id > made)]' x",
    "printf '%n' PATH; ls",
    "unset 'a[$(id > made)]'",
    "declare -i y='a[$(id > made)]'",
    "let 'x=a[$(id > made)]'",
    "(( x = 1 )) && ls",
    "echo $[1+1]",
    "echo ${x[a]}",
    "echo ${x:=a}",
    "echo ${x@P}",
    "echo ${!x}",
    "coproc ls",
    "select x in a b; do ls; done",
    "trap 'id > made' EXIT",
    "ls {fd}> made",
    "exec > made",
    "ls > made",
    "ls &> made",
    "PROMPT_COMMAND=id ls",
    "BASH_ENV=./x bash -c ls",
    "IFS=/ ls",
    "alias ls='id > made'; ls",
    "ls() { id > made; }; ls",
    "echo $\"hi\"",
    "ls(){ :; }",
];

/// Options and small languages with which reading programs write or run something.
const PROGRAMS: &[&str] = &[
    "rg --pre ./x one",
    "rg --hostname-bin=./x one",
    "sort -o made important.txt",
    "sort --compress-program=./x important.txt",
    "sort --files0-from=important.txt",
    "uniq important.txt made",
    "xxd -ps important.txt made",
    "xxd -r important.txt made",
    "tree -o made",
    "find . -fprintf made %p",
    "find . -exec cp important.txt made {} +",
    "find . -delete",
    "sed -n 'w made' important.txt",
    "sed 's/one/id/e' important.txt",
    "sed -i s/one/two/ important.txt",
    "awk '{ print > \"made\" }' important.txt",
    "awk 'BEGIN { system(\"id > made\") }'",
    "awk 'BEGIN { \"id\" | getline x; print x }'",
    "tee made < important.txt",
    "file -C -m important.txt",
    "date -s now",
    "less important.txt",
    "man ls",
    "env -S 'touch made'",
    "time -o made ls",
    "busybox touch made",
    "git grep -O./x one",
    "git diff --ext-diff",
    "git diff --output=made",
    "git -c core.pager=./x log",
    "git --exec-path=. log",
    "GIT_EXTERNAL_DIFF=./x git diff",
    "git log --show-signature",
    "git submodule foreach 'touch made'",
    "git config alias.st '!touch made'",
];

/// Reads that would show keys, the environment or files outside of the workspace.
const SECRETS: &[&str] = &[
    "cat <<< \"$GEMINI_API_KEY\"",
    "cat <<E\n$GEMINI_API_KEY\nE",
    "echo \"${GEMINI_API_KEY:0:9}\"",
    "printenv GEMINI_API_KEY",
    "env",
    "export -p",
    "declare -p",
    "set",
    "compgen -v",
    "jq -n env",
    "jq -n '$ENV'",
    "awk 'BEGIN { print ENVIRON[\"GEMINI_API_KEY\"] }'",
    "cat /proc/self/environ",
    "cat < /proc/self/environ",
    "cat /proc/$PPID/environ",
    "ps auxe",
    "cat < ~/.ssh/id_rsa",
    "cat \"$HOME/.ssh/id_rsa\"",
    "cat ../home/.ssh/id_rsa",
    "cat < /dev/tcp/127.0.0.1/9",
    "grep -rn KEY",
    "grep -rn KEY .",
    "rg --hidden KEY",
    "git grep --no-index KEY",
    "git grep --untracked --no-exclude-standard KEY",
    "diff -r . sub",
    "cat .env",
    "cat < .env",
    "cat sub/../.env",
    "cat .e*",
    "cat link",
    "cat l*k",
    "cat n*/readme",
    "cat s{ub/,}{.,}.{/,}{.,}./home/.ssh/id_rsa",
    "grep -f /etc/passwd important.txt",
    "diff --to-file=/etc/passwd important.txt",
    "xxd -ps /etc/passwd",
    "strings @arguments",
    "curl file:///etc/passwd",
    "ls | xargs cat",
    "xargs -a list cat",
    "while read -r f; do cat \"$f\"; done < list",
    "printf '/etc/passwd\\0' | xargs -0 head",
];

/// What is not run at all, whatever the policy says.
const SUBSTITUTIONS: &[&str] = &[
    "npm test -- $(touch made)",
    "npm test -- `touch made`",
    "npm test -- \"$(touch made)\"",
    "cat <(touch made)",
    "echo ${x[$(touch made)]}",
    "echo ${x:=$(touch made)}",
    "echo $((x[$(touch made)]))",
];

fn furnish(world: &World) {
    let work = world.work();
    fs::create_dir_all(work.join("sub")).unwrap();
    fs::create_dir_all(work.join("node_modules")).unwrap();
    fs::create_dir_all(world.home().join(".ssh")).unwrap();
    fs::write(world.home().join(".ssh/id_rsa"), "the private key\n").unwrap();
    for (name, text) in [
        ("important.txt", "one\ntwo\n"),
        (".env", "KEY=secret\n"),
        ("list", "/etc/passwd\n"),
        ("arguments", "/etc/passwd\n"),
    ] {
        fs::write(work.join(name), text).unwrap();
    }
    let key = world.home().join(".ssh/id_rsa");
    symlink(&key, work.join("link")).unwrap();
    symlink(&key, work.join("node_modules/readme")).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn words_that_belong_to_no_command_are_asked_about() {
    let world = World::new();
    furnish(&world);
    expect_asked_in(&world, "default", EVALUATED).await;
    assert!(!world.home().join(".bash_history").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn substitutions_are_not_run_though_a_rule_allows_their_command() {
    let world = World::new();
    allow(&world, &["npm test", "echo", "cat"]);
    let replies = SUBSTITUTIONS.iter().map(|command| runs(command));
    let server = model(replies.chain([says("then not")]).collect::<Vec<_>>()).await;
    let mut talk = Talk::start(&world, &server).await;
    talk.say("go on").await;
    talk.rest_unasked().await;
    talk.close().await;
    assert!(!world.work().join("made").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn reading_programs_that_do_more_are_asked_about() {
    let world = World::new();
    furnish(&world);
    expect_asked_in(&world, "default", PROGRAMS).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn reads_of_secrets_are_asked_about_also_in_auto_edit() {
    for mode in ["default", "autoEdit"] {
        let world = World::new();
        furnish(&world);
        expect_asked_in(&world, mode, SECRETS).await;
    }
}

/// The host has an environment of its own, and commands have the person's.
#[tokio::test(flavor = "multi_thread")]
async fn a_variable_of_the_person_is_not_printed_by_a_script_that_pretends_to_set_it() {
    let world = World::new();
    let command = "false && project_token=1; echo \"it is $project_token\"";
    let server = model([runs(command), says("then not")]).await;
    let mut process = world.pollux(&["lsp"]);
    with_model(&mut process, &server);
    process.env("project_token", "leaked");
    let mut talk = Talk::start_in(&world.work(), World::start_trusting(process)).await;
    talk.say("go on").await;
    let question = talk.event("approvalRequested").await;
    talk.answer(&question, json!({ "kind": "deny" })).await;
    talk.rest_unasked().await;
    talk.close().await;
    for request in server.requests() {
        assert!(!request.json().to_string().contains("leaked"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_the_path_finds_in_the_workspace_is_asked_about() {
    let world = World::new();
    let bin = world.work().join("bin");
    fs::create_dir(&bin).unwrap();
    fs::write(bin.join("wc"), "#!/bin/sh\ntouch made\n").unwrap();
    fs::set_permissions(bin.join("wc"), fs::Permissions::from_mode(0o755)).unwrap();
    let server = model([runs("wc -l bin/wc"), runs("head -1 bin/wc"), says("done")]).await;
    let mut process = world.pollux(&["lsp"]);
    with_model(&mut process, &server);
    let path = process
        .as_std()
        .get_envs()
        .find_map(|(name, value)| (name == "PATH").then(|| value.unwrap().to_owned()))
        .unwrap();
    process.env(
        "PATH",
        format!("{}:{}", bin.display(), path.to_str().unwrap()),
    );
    let mut talk = Talk::start_in(&world.work(), World::start_trusting(process)).await;
    talk.say("go on").await;
    let question = talk.event("approvalRequested").await;
    assert_eq!(question["subject"]["command"], "wc -l bin/wc");
    talk.answer(&question, json!({ "kind": "deny" })).await;
    talk.rest_unasked().await;
    talk.close().await;
    assert!(!world.work().join("made").exists());
}
