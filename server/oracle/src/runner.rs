//! Runs one script after the other in a watched thread.

use std::io::{PipeReader, Read};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use rustix::fs::inotify;
use rustix::process::{Pid, WaitOptions, waitpgid};

use crate::fixture::{Fixture, SECRET_PIECES, Secrets};
use crate::judge::PartsCheck;
use crate::notifier::{Notifier, Observed, Violation};

/// Longer than any script needs; one that waits for something is ended.
const LONGEST: Duration = Duration::from_secs(5);

/// More output than this is not read.
const MOST_OUTPUT: u64 = 1 << 20;

pub(crate) struct Runner {
    notifier: Notifier,
    places: Vec<Place>,
}

struct Place {
    secrets: Secrets,
    fixture: Fixture,
    /// Tells when a secret file is opened.
    opened: OwnedFd,
}

impl Runner {
    /// Watches the calling thread from now on.
    pub(crate) fn new() -> Runner {
        let places = [Secrets::InWorkspace, Secrets::Outside].map(|secrets| {
            let fixture = Fixture::new(secrets);
            Place {
                secrets,
                opened: watch_secrets(&fixture),
                fixture,
            }
        });
        // Whatever a script leaves running becomes a child of this process, which can wait for it.
        rustix::process::set_child_subreaper(Some(rustix::process::getpid())).unwrap();
        let notifier = Notifier::watch_this_thread().unwrap_or_else(|error| {
            panic!("the kernel does not let this process watch system calls: {error}")
        });
        Runner {
            notifier,
            places: places.into(),
        }
    }

    pub(crate) fn fixture(&self, secrets: Secrets) -> &Fixture {
        &self.place(secrets).fixture
    }

    /// What lies in the workspace. Looking at it opens the secrets too, which does not count.
    pub(crate) fn state(&self, secrets: Secrets) -> Vec<(PathBuf, u64, i64, Vec<u8>)> {
        let place = self.place(secrets);
        let state = place.fixture.state();
        has_been_opened(&place.opened);
        state
    }

    fn place(&self, secrets: Secrets) -> &Place {
        let mut places = self.places.iter();
        places.find(|place| place.secrets == secrets).unwrap()
    }

    /// Runs the script with bash and waits until nothing of it is left.
    #[expect(clippy::disallowed_methods, reason = "waits for all that it starts")]
    pub(crate) fn run(&self, secrets: Secrets, script: &str, check: PartsCheck) -> Observed {
        let Place {
            fixture, opened, ..
        } = self.place(secrets);
        let input = std::fs::File::open(fixture.workspace.join("list")).unwrap();
        let (reader, writer) = std::io::pipe().unwrap();
        self.notifier
            .begin(Box::new(check), &fixture.scratch, LONGEST);
        let mut command = Command::new("/bin/bash");
        command
            .args(["-c", script])
            .current_dir(&fixture.workspace)
            .env_clear()
            .envs(fixture.environment.iter().cloned())
            .process_group(0)
            .stdin(Stdio::from(input))
            .stdout(writer.try_clone().unwrap())
            .stderr(writer);
        let child = command.spawn();
        // It holds the other end of the pipe.
        drop(command);
        let Ok(child) = child else {
            // A text with a zero in it, which nobody could hand over.
            return self.notifier.finish();
        };
        let output = self.read(reader);
        let group = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
        while waitpgid(group, WaitOptions::empty()).is_ok() {}
        let mut observed = self.notifier.finish();
        let output = String::from_utf8_lossy(&output);
        let mut add = |how: &'static str| {
            observed.violations.push(Violation::SecretSeen { how });
        };
        if SECRET_PIECES.iter().any(|piece| output.contains(piece)) {
            add("printed");
        }
        if has_been_opened(opened) {
            add("a secret file was opened");
        }
        observed
    }

    fn read(&self, reader: PipeReader) -> Vec<u8> {
        let mut output = Vec::new();
        let mut reader = reader.take(MOST_OUTPUT);
        reader.read_to_end(&mut output).unwrap();
        if reader.limit() == 0 {
            self.notifier.cut_short();
        }
        output
    }
}

fn watch_secrets(fixture: &Fixture) -> OwnedFd {
    let flags = inotify::CreateFlags::NONBLOCK | inotify::CreateFlags::CLOEXEC;
    let watch = inotify::init(flags).unwrap();
    for secret in &fixture.secrets {
        inotify::add_watch(&watch, secret, inotify::WatchFlags::OPEN).unwrap();
    }
    watch
}

fn has_been_opened(watch: &OwnedFd) -> bool {
    let mut space = [MaybeUninit::uninit(); 4096];
    let mut reader = inotify::Reader::new(watch, &mut space);
    let mut found = false;
    while reader.next().is_ok() {
        found = true;
    }
    found
}
