//! A terminal with a program in it: keys go in, and what a person would see is read from the screen.

use std::fs::File;
use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use tokio::process::{Child, Command};
use tokio::sync::watch;
use tokio::time::timeout;
use vt100::Parser;

use super::world::World;

/// Larger than any test is patient with an editor that has nothing to wait for.
const DEADLINE: Duration = Duration::from_secs(40);

const ROWS: NonZeroU16 = NonZeroU16::new(40).unwrap();
const COLUMNS: NonZeroU16 = NonZeroU16::new(120).unwrap();

/// What programs ask a terminal first of all, and what the plainest of them answers.
const WHAT_ARE_YOU: &[u8] = b"\x1b[c";
const A_TERMINAL: &[u8] = b"\x1b[?62c";

pub(crate) struct Terminal {
    child: Child,
    keyboard: File,
    screen: watch::Receiver<String>,
}

impl Terminal {
    /// Starts a program on a screen of its own.
    pub(crate) fn start(world: &World, program: &Path, prepare: impl FnOnce(&mut Command)) -> Self {
        Self::start_sized(world, program, (ROWS, COLUMNS), prepare)
    }

    /// The same on a screen of so many rows and columns.
    pub(crate) fn start_sized(
        world: &World,
        program: &Path,
        (rows, columns): (NonZeroU16, NonZeroU16),
        prepare: impl FnOnce(&mut Command),
    ) -> Self {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC);
        let master = master.unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let size = Winsize {
            ws_row: rows.get(),
            ws_col: columns.get(),
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        tcsetwinsize(&master, size).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap();
        let side = || {
            let name = name.to_str().unwrap();
            let side = File::options().read(true).write(true).open(name);
            Stdio::from(side.unwrap())
        };
        // Makes the terminal the program's own, which a child cannot be told to do safely.
        let mut command = world.command("setsid");
        command.arg("--ctty").arg(program);
        command.env("TERM", "xterm-256color");
        prepare(&mut command);
        let child = command.stdin(side()).stdout(side()).stderr(side()).spawn();
        let keyboard = File::from(master.try_clone().unwrap());
        Self {
            child: child.expect("setsid is a part of every Linux"),
            screen: watch_screen(master, keyboard.try_clone().unwrap(), (rows, columns)),
            keyboard,
        }
    }

    pub(crate) fn type_keys(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).unwrap();
    }

    /// Waits until the screen is as wanted.
    pub(crate) async fn until(&mut self, what: &str, wanted: impl Fn(&str) -> bool) -> String {
        let shown = timeout(DEADLINE, self.screen.wait_for(|screen| wanted(screen))).await;
        let shown = shown.map(|shown| shown.map(|shown| shown.clone()));
        match shown {
            Ok(Ok(screen)) => screen,
            _ => panic!("waited for {what}:\n{}", *self.screen.borrow()),
        }
    }

    fn screen(&self) -> String {
        self.screen.borrow().clone()
    }

    pub(crate) async fn shows(&mut self, text: &str) -> String {
        self.until(text, |screen| screen.contains(text)).await
    }

    pub(crate) async fn hides(&mut self, text: &str) -> String {
        let what = format!("{text} to go");
        self.until(&what, |screen| !screen.contains(text)).await
    }

    pub(crate) async fn kill(&mut self) {
        self.child.kill().await.unwrap();
    }

    pub(crate) async fn ended(&mut self) {
        let status = timeout(DEADLINE, self.child.wait()).await;
        assert!(status.expect("it ends").unwrap().success());
    }
}

/// What a test that fails elsewhere would have seen.
impl Drop for Terminal {
    #[expect(clippy::print_stdout, reason = "a test that fails says why")]
    fn drop(&mut self) {
        if std::thread::panicking() {
            println!("the screen at the end:\n{}", self.screen());
        }
    }
}

/// Reads until the program has gone.
fn watch_screen(
    master: OwnedFd,
    mut keyboard: File,
    (rows, columns): (NonZeroU16, NonZeroU16),
) -> watch::Receiver<String> {
    let (sender, receiver) = watch::channel(String::new());
    let mut output = File::from(master);
    std::thread::spawn(move || {
        let mut parser = Parser::new(rows, columns, 0);
        let mut chunk = [0; 4096];
        // A terminal whose other side is closed cannot be read.
        while let Ok(length @ 1..) = output.read(&mut chunk) {
            let bytes = &chunk[..length];
            parser.process(bytes);
            let mut windows = bytes.windows(WHAT_ARE_YOU.len());
            if windows.any(|window| window == WHAT_ARE_YOU) {
                keyboard.write_all(A_TERMINAL).unwrap();
            }
            sender.send_replace(parser.screen().contents());
        }
    });
    receiver
}
