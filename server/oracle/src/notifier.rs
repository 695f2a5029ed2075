//! Watches what scripts do: records every program, change, socket and signal, and refuses what no reader may do.

mod calls;
mod filter;
mod memory;

use std::collections::HashMap;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use libc::c_long;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process_group};

use calls::{Effect, Named};
use memory::Caller;

/// What a script did that reading alone does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Violation {
    /// A program started that is no judged part.
    ProgramRan {
        path: PathBuf,
        words: Vec<String>,
    },
    FileChanged {
        call: &'static str,
        path: Option<PathBuf>,
    },
    SocketOpened {
        call: &'static str,
    },
    SecretSeen {
        how: &'static str,
    },
    SignalSent {
        process: i32,
    },
    SystemChanged {
        call: &'static str,
    },
}

/// Decides about a program before it starts, by the process, its path and its words.
pub(crate) trait ProgramCheck: Send {
    fn check(&mut self, start: &ProgramStart<'_>) -> Admission;
}

pub(crate) struct ProgramStart<'a> {
    pub(crate) path: &'a Path,
    pub(crate) words: &'a [String],
    /// The path of the program that starts it.
    pub(crate) by: &'a Path,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Admission {
    Run,
    /// Judged, but not a program that runs here.
    Refuse,
    Violation,
}

/// One script that is running.
struct Watched {
    check: Box<dyn ProgramCheck>,
    scratch: PathBuf,
    deadline: Instant,
    group: Option<u32>,
    programs: HashMap<u32, Started>,
    started: usize,
    violations: Vec<Violation>,
    is_ended: bool,
}

#[derive(Clone, Default)]
struct Started {
    path: PathBuf,
    words: Vec<String>,
}

/// What was seen of a script.
pub(crate) struct Observed {
    pub(crate) violations: Vec<Violation>,
    /// How many programs started, bash included.
    pub(crate) started: usize,
    /// It was ended before it was done.
    pub(crate) is_cut_short: bool,
}

/// A loop that starts more programs than this is ended.
const MOST_PROGRAMS: usize = 400;

#[derive(Clone, Default)]
pub(crate) struct Notifier {
    watched: Arc<Mutex<Option<Watched>>>,
}

impl Notifier {
    /// Watches the calling thread and all that it starts, for good.
    pub(crate) fn watch_this_thread() -> io::Result<Notifier> {
        let notifier = Notifier::default();
        let (sender, receiver) = std::sync::mpsc::channel::<OwnedFd>();
        let answering = notifier.clone();
        // Before the filter: what answers must not be watched.
        std::thread::spawn(move || {
            if let Ok(listener) = receiver.recv() {
                answering.run(&listener);
            }
        });
        sender.send(filter::install()?).map_err(io::Error::other)?;
        Ok(notifier)
    }

    pub(crate) fn begin(&self, check: Box<dyn ProgramCheck>, scratch: &Path, longest: Duration) {
        *self.watched.lock().unwrap() = Some(Watched {
            check,
            scratch: scratch.to_owned(),
            deadline: Instant::now() + longest,
            group: None,
            programs: HashMap::new(),
            started: 0,
            violations: Vec::new(),
            is_ended: false,
        });
    }

    /// Has what is left of the script killed. The thread that is watched may not do it itself: it would ask itself.
    pub(crate) fn cut_short(&self) {
        if let Some(watched) = self.watched.lock().unwrap().as_mut() {
            watched.deadline = Instant::now();
        }
    }

    pub(crate) fn finish(&self) -> Observed {
        let watched = self.watched.lock().unwrap().take().unwrap();
        Observed {
            violations: watched.violations,
            started: watched.started,
            is_cut_short: watched.is_ended,
        }
    }

    fn run(&self, listener: &OwnedFd) {
        let tick = Timespec {
            tv_sec: 0,
            tv_nsec: 100_000_000,
        };
        loop {
            let mut files = [PollFd::new(listener, PollFlags::IN)];
            let count = poll(&mut files, Some(&tick)).unwrap_or_default();
            if files[0].revents().contains(PollFlags::HUP) {
                return;
            }
            if let Some(watched) = self.watched.lock().unwrap().as_mut()
                && Instant::now() >= watched.deadline
            {
                watched.end();
            }
            if count == 0 {
                continue;
            }
            // An error means that the process has ended meanwhile.
            let Ok(call) = filter::receive(listener) else {
                continue;
            };
            let caller = Caller {
                process: call.pid,
                data: &call.data,
            };
            let refusal = match self.watched.lock().unwrap().as_mut() {
                Some(watched) => watched.answer(&caller).err(),
                // The thread itself, between two scripts.
                None => None,
            };
            let _gone = filter::respond(listener, call.id, refusal);
        }
    }
}

type Answer = Result<(), i32>;

impl Watched {
    fn end(&mut self) {
        self.is_ended = true;
        let group = self.group.and_then(|group| i32::try_from(group).ok());
        if let Some(group) = group.and_then(Pid::from_raw) {
            let _gone = kill_process_group(group, Signal::KILL);
        }
    }

    fn refuse(&mut self, violation: Violation) -> Answer {
        // A loop repeats itself; one of a kind says it all.
        if !self.violations.contains(&violation) && self.violations.len() < 20 {
            self.violations.push(violation);
        }
        Err(libc::EACCES)
    }

    fn answer(&mut self, caller: &Caller<'_>) -> Answer {
        let Some(call) = calls::find(c_long::from(caller.data.nr)) else {
            // The commands to files that the filter watches.
            let path = caller.open_file(caller.number(0));
            return self.refuse(Violation::FileChanged {
                call: "ioctl",
                path,
            });
        };
        match call.effect {
            Effect::Execute {
                folder,
                path,
                words,
            } => self.start(caller, folder, path, words),
            Effect::Open { folder, path } => self.open(caller, call.name, folder, path),
            Effect::Change(named) => {
                let path = match named {
                    Named::Path(path) => caller.path(None, path),
                    Named::PathAt(folder, path) => caller.path(Some(folder), path),
                    Named::File(file) => caller.open_file(caller.number(file)),
                };
                let removes = call.name.starts_with("unlink");
                if removes && path.as_deref().is_some_and(|path| self.is_in_scratch(path)) {
                    return Ok(());
                }
                self.refuse(Violation::FileChanged {
                    call: call.name,
                    path,
                })
            }
            Effect::Socket => match caller.number(0) {
                // Harmless until it is given an address, which is asked about.
                libc::AF_UNIX => Ok(()),
                _ => self.refuse(Violation::SocketOpened { call: call.name }),
            },
            Effect::Address { address, length } => self.address(caller, call.name, address, length),
            Effect::Signal { process, signal } => self.signal(
                caller.process,
                caller.number(process),
                caller.number(signal),
            ),
            Effect::LeaveGroup => match self.group {
                // The script itself, which gets its group before it starts.
                None => Ok(()),
                // `timeout` makes a group of its own if it can, and does without if it cannot.
                Some(_) => Err(libc::EPERM),
            },
            Effect::System if call.name == "io_uring_setup" => Err(libc::ENOSYS),
            Effect::System => self.refuse(Violation::SystemChanged { call: call.name }),
        }
    }

    fn start(
        &mut self,
        caller: &Caller<'_>,
        folder: Option<usize>,
        path: usize,
        words: usize,
    ) -> Answer {
        let path = caller.path(folder, path).unwrap_or_default();
        if !path.exists() {
            // The shell looks in one folder after the other.
            return Ok(());
        }
        self.started += 1;
        if self.group.is_none() {
            self.group = Some(caller.process);
            let words = Vec::new();
            self.programs
                .insert(caller.process, Started { path, words });
            return Ok(());
        }
        if self.started > MOST_PROGRAMS {
            self.end();
        }
        let words = caller.words(words);
        let by = self.program_of(caller.process);
        let start = ProgramStart {
            path: &path,
            words: &words,
            by: &by.path,
        };
        match self.check.check(&start) {
            Admission::Run => {
                self.programs
                    .insert(caller.process, Started { path, words });
                Ok(())
            }
            Admission::Refuse => Err(libc::EACCES),
            Admission::Violation => self.refuse(Violation::ProgramRan { path, words }),
        }
    }

    /// What the process runs: what it started, or else what its parent did.
    fn program_of(&self, process: u32) -> Started {
        let mut process = Some(process);
        while let Some(current) = process {
            if let Some(started) = self.programs.get(&current) {
                return started.clone();
            }
            process = memory::parent_of(current).filter(|parent| *parent > 1);
        }
        Started::default()
    }

    fn open(
        &mut self,
        caller: &Caller<'_>,
        call: &'static str,
        folder: Option<usize>,
        path: usize,
    ) -> Answer {
        if call == "openat2" {
            let flags = caller.bytes(caller.argument(2), 4).unwrap_or_default();
            let flags = flags.try_into().map_or(filter::WRITING, u32::from_ne_bytes);
            if flags & filter::WRITING == 0 {
                return Ok(());
            }
        }
        let Some(path) = caller.path(folder, path) else {
            return self.refuse(Violation::FileChanged { call, path: None });
        };
        let opened = caller.opened(&path);
        const SINKS: &[&str] = &["/dev/null", "/dev/zero", "/dev/full", "/dev/tty"];
        let is_sink = SINKS.iter().any(|sink| opened == Path::new(sink));
        let is_pipe = opened.to_string_lossy().starts_with("pipe:[");
        if is_sink || is_pipe {
            return Ok(());
        }
        if self.is_in_scratch(&opened) {
            return Ok(());
        }
        // These refresh the index if they can, and do without if they cannot.
        if opened.ends_with(".git/index.lock") {
            let Started { path, words } = self.program_of(caller.process);
            let mut words = words.iter().map(String::as_str);
            if path.ends_with("git") && words.any(|w| ["status", "diff", "describe"].contains(&w)) {
                return Err(libc::EACCES);
            }
        }
        self.refuse(Violation::FileChanged {
            call,
            path: Some(path),
        })
    }

    /// Whether it lies right in the folder for temporary files, which is each command's own.
    fn is_in_scratch(&self, path: &Path) -> bool {
        path.parent() == Some(&self.scratch) && path.file_name().is_some()
    }

    fn address(
        &mut self,
        caller: &Caller<'_>,
        call: &'static str,
        address: usize,
        length: usize,
    ) -> Answer {
        if caller.argument(address) == 0 {
            return Ok(());
        }
        let length = usize::try_from(caller.number(length)).unwrap_or_default();
        let bytes = caller.bytes(caller.argument(address), length.min(128));
        let bytes = bytes.unwrap_or_default();
        let path: Vec<u8> = bytes
            .iter()
            .skip(2)
            .copied()
            .take_while(|b| *b != 0)
            .collect();
        // The C library looks for this service whenever it looks up a user.
        if path.ends_with(b"/nscd/socket") {
            return Err(libc::ENOENT);
        }
        self.refuse(Violation::SocketOpened { call })
    }

    fn signal(&mut self, by: u32, process: i32, signal: i32) -> Answer {
        let own = |process: i32| {
            let group = u32::try_from(process).ok().and_then(memory::group_of);
            group.is_some() && group == self.group
        };
        let is_own = process == 0
            || i32::try_from(by).is_ok_and(|by| by == process)
            || process > 0 && own(process)
            || process < -1 && u32::try_from(-process).ok() == self.group;
        if signal == 0 || is_own {
            return Ok(());
        }
        self.refuse(Violation::SignalSent { process })
    }
}
