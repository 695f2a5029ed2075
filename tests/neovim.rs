//! A real editor: the room's text equals Neovim's buffer, and its own messages carry approvals.

mod plugin;

use std::fs;
use std::process::Stdio;

use crate::support::talk::{model, runs, says, with_model};
use crate::support::world::World;

#[tokio::test(flavor = "multi_thread")]
async fn the_room_holds_what_neovim_shows() {
    let world = World::new();
    let write = |name: &str, text: &str| fs::write(world.work().join(name), text).unwrap();
    write("plain.txt", "one\ntwo\nthree line\n");
    write(
        "emoji.txt",
        "😀 smile 👨‍👩‍👧 family\ncafe\u{301} n\u{303}\nplain\n",
    );
    write("dos.txt", "alpha\r\nbeta\r\ngamma\r\n");
    let script = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/neovim/session.lua"
    );
    let output = world
        .command("nvim")
        .args(["--headless", "-u", "NONE", "-i", "NONE", "-n", "-c"])
        .arg(format!("luafile {script}"))
        .env("POLLUX_BINARY", env!("CARGO_BIN_EXE_pollux"))
        .env("POLLUX_WORK", world.work())
        .stdin(Stdio::null())
        .output()
        .await
        .expect("nvim is installed by `cargo xtask test`");
    let printed = String::from_utf8_lossy(&output.stdout);
    let said = String::from_utf8_lossy(&output.stderr);
    expect_test::expect![[r#"
        encoding utf-16
        sync 2
        ok opened
        ok typed
        ok moved a line
        ok undone
        ok undone to the start
        ok redone
        ok substituted
        ok emptied, undone and saved
        ok emoji opened
        ok typed behind an emoji
        ok replaced an emoji
        ok combining characters
        ok moved lines of emoji
        ok undone emoji
        fileformat dos
        ok crlf opened
        ok crlf inserted a line
        ok crlf joined lines
        ok crlf undone
        ok crlf pasted
        ok saved
        open emoji.txt,plain.txt
        ok stopped
    "#]]
    .assert_eq(&printed);
    assert!(output.status.success(), "{printed}\n{said}");
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn neovim_answers_an_approval_without_a_line_of_configuration() {
    let world = World::new();
    let server = model([runs("touch made"), says("made")]).await;
    let script = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/neovim/approval.lua"
    );
    let mut nvim = world.command("nvim");
    with_model(&mut nvim, &server);
    let output = nvim
        .args(["--headless", "-u", "NONE", "-i", "NONE", "-n", "-c"])
        .arg(format!("luafile {script}"))
        .env("POLLUX_BINARY", env!("CARGO_BIN_EXE_pollux"))
        .env("POLLUX_WORK", world.work())
        .env("GEMINI_CLI_TRUST_WORKSPACE", "true")
        .stdin(Stdio::null())
        .output()
        .await
        .expect("nvim is installed by `cargo xtask test`");
    let printed = String::from_utf8_lossy(&output.stdout);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(
        printed,
        format!(
            "asked Pollux wants to run in {}: | touch made\ncompleted made\nok stopped\n",
            world.work().display()
        ),
        "{said}"
    );
    world.expect_no_process_left().await;
}
