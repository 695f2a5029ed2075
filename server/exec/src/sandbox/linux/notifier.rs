//! The guard's view of refused system calls.
//!
//! The kernel stops a watched call and asks here. The answer is a refusal, or "continue" for what
//! landlock decides again: a path that another thread changes meanwhile gains nothing.

use std::fs::{self, File};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use libc::{c_int, c_long, c_ulong, seccomp_data, seccomp_notif, seccomp_notif_resp, sock_filter};
use rustix::process::{Pid, getpgid, getpid};

use super::calls::{self, Enforcer, Flags, Target, WatchedCall};
use super::filter::WRITING;
use super::read_only::Writable;
use crate::refused::{AccessKind, RefusedAccess};

/// Answers for the calls of one command.
pub(crate) struct Notifier {
    listener: OwnedFd,
    writable: Writable,
}

enum Answer {
    Continue,
    Refuse(RefusedAccess),
    /// What programs do as a matter of course and without harm if it fails.
    RefuseSilently,
}

impl Notifier {
    pub(super) fn new(listener: OwnedFd, writable: Writable) -> Notifier {
        Notifier { listener, writable }
    }

    /// Answers until no process of the command is left. Reports before it refuses, so that no
    /// report comes after the end of the process.
    pub(crate) fn run(&self, mut report: impl FnMut(RefusedAccess)) {
        loop {
            let call = match receive(&self.listener) {
                Ok(call) => call,
                // The process ended while it waited, or we were interrupted.
                Err(error) if is_passing(&error) => {
                    if has_hung_up(&self.listener) {
                        return;
                    }
                    continue;
                }
                Err(_) => return,
            };
            let answer = self.answer(call.pid, &call.data);
            let continues = matches!(answer, Answer::Continue);
            if let Answer::Refuse(refused) = answer {
                report(refused);
            }
            // An error means that the process has ended meanwhile.
            let _gone = respond(&self.listener, call.id, continues);
        }
    }

    fn answer(&self, process: u32, data: &seccomp_data) -> Answer {
        let Some(call) = calls::find(c_long::from(data.nr)) else {
            return Answer::RefuseSilently;
        };
        let refuse = |path| {
            let kind = call.kind;
            Answer::Refuse(RefusedAccess { kind, path })
        };
        let argument = |place: usize| data.args.get(place).copied().unwrap_or_default();
        match call.target {
            // The filter refuses local sockets by itself.
            Target::Socket => refuse(None),
            Target::Process {
                process: target,
                signal,
            } => {
                let is_probe = low(argument(signal)) == 0;
                match is_probe || may_signal(process, low(argument(target))) {
                    true => Answer::Continue,
                    false => refuse(None),
                }
            }
            Target::Open {
                folder,
                path,
                flags,
            } => {
                let flags = match flags {
                    Flags::In(place) => low(argument(place)).cast_unsigned(),
                    Flags::Behind(place) => read_flags(process, argument(place)),
                    Flags::Implied => WRITING,
                };
                self.answer_open(
                    process,
                    data,
                    Opened {
                        folder,
                        path,
                        flags,
                    },
                )
            }
            Target::File(file) => refuse(open_file(process, low(argument(file)))),
            _ => {
                let paths = named_paths(process, data, call);
                let last = paths.last().cloned().flatten();
                let inside = |path: &Option<PathBuf>| {
                    let parent = path.as_deref().and_then(resolved_parent);
                    parent.is_some_and(|path| self.writable.contains(&path))
                };
                let allowed = call.enforced_by == Enforcer::Landlock && paths.iter().all(inside);
                match allowed {
                    true => Answer::Continue,
                    false => refuse(last),
                }
            }
        }
    }

    fn answer_open(&self, process: u32, data: &seccomp_data, opened: Opened) -> Answer {
        let Opened {
            folder,
            path,
            flags,
        } = opened;
        let mode = flags & libc::O_ACCMODE.unsigned_abs();
        if flags & WRITING == 0 {
            // Only where the flags stand in memory: landlock looks at them once more.
            return Answer::Continue;
        }
        let path = named(process, data, folder, path);
        let refused = |path| {
            let kind = AccessKind::Write;
            Answer::Refuse(RefusedAccess { kind, path })
        };
        // Versions of landlock before the third do not see that this empties the file.
        let empties = flags & libc::O_TRUNC.unsigned_abs() != 0;
        if mode == libc::O_RDONLY.unsigned_abs() && empties {
            return refused(path);
        }
        let Some(path) = path else {
            return refused(None);
        };
        if is_index_refresh(process, &path) {
            return Answer::RefuseSilently;
        }
        let real = resolved(process, &path);
        match real {
            Some(Real::Pipe) => Answer::Continue,
            Some(Real::Path(real)) if self.writable.contains(&real) => Answer::Continue,
            _ => refused(Some(path)),
        }
    }
}

struct Opened {
    folder: Option<usize>,
    path: usize,
    flags: u32,
}

/// An argument that is an `int` to the kernel.
fn low(argument: u64) -> i32 {
    #[expect(clippy::cast_possible_truncation, reason = "the kernel does the same")]
    let low = argument as u32;
    low.cast_signed()
}

/// The paths that a call names, absolute.
fn named_paths(process: u32, data: &seccomp_data, call: &WatchedCall) -> Vec<Option<PathBuf>> {
    let at = |folder, path| named(process, data, folder, path);
    match call.target {
        Target::Path(path) => vec![at(None, path)],
        Target::PathAt(folder, path) => vec![at(Some(folder), path)],
        Target::TwoPaths(from, to) => vec![at(None, from), at(None, to)],
        Target::TwoPathsAt([from_folder, from, to_folder, to]) => {
            vec![at(Some(from_folder), from), at(Some(to_folder), to)]
        }
        Target::File(_) | Target::Open { .. } | Target::Socket | Target::Process { .. } => {
            Vec::new()
        }
    }
}

fn named(process: u32, data: &seccomp_data, folder: Option<usize>, path: usize) -> Option<PathBuf> {
    let argument = |place: usize| data.args.get(place).copied();
    let spelled = match argument(path)? {
        // Some calls mean the open file itself by a path that is not there.
        0 => PathBuf::new(),
        address => read_path(process, address)?,
    };
    if spelled.is_absolute() {
        return Some(spelled);
    }
    let folder = match folder {
        Some(place) => low(argument(place)?),
        None => libc::AT_FDCWD,
    };
    let folder = match folder {
        libc::AT_FDCWD => fs::read_link(format!("/proc/{process}/cwd")).ok()?,
        file => open_file(process, file)?,
    };
    match spelled.as_os_str().is_empty() {
        true => Some(folder),
        false => Some(folder.join(spelled)),
    }
}

fn open_file(process: u32, file: c_int) -> Option<PathBuf> {
    fs::read_link(format!("/proc/{process}/fd/{file}")).ok()
}

fn read_path(process: u32, address: u64) -> Option<PathBuf> {
    let bytes = read_memory(process, address, 4096)?;
    let end = bytes.iter().position(|byte| *byte == 0)?;
    let path = std::ffi::OsStr::from_bytes(bytes.get(..end)?);
    Some(PathBuf::from(path))
}

/// Flags that cannot be read count as writing.
fn read_flags(process: u32, address: u64) -> u32 {
    let bytes = read_memory(process, address, 8).unwrap_or_default();
    match <[u8; 8]>::try_from(bytes) {
        Ok(bytes) => low(u64::from_ne_bytes(bytes)).cast_unsigned(),
        Err(_) => WRITING,
    }
}

fn read_memory(process: u32, address: u64, most: usize) -> Option<Vec<u8>> {
    let memory = File::open(format!("/proc/{process}/mem")).ok()?;
    let mut bytes = vec![0; most];
    let count = memory.read_at(&mut bytes, address).ok()?;
    bytes.truncate(count);
    Some(bytes)
}

enum Real {
    Path(PathBuf),
    /// A pipe that the process has open already.
    Pipe,
}

/// Where an open would lead, through every link.
fn resolved(process: u32, path: &Path) -> Option<Real> {
    if let Some(file) = own_file(process, path) {
        let target = open_file(process, file)?;
        return match target.to_string_lossy().starts_with("pipe:[") {
            true => Some(Real::Pipe),
            false => Some(Real::Path(target)),
        };
    }
    match path.canonicalize() {
        Ok(path) => Some(Real::Path(path)),
        // A link that leads nowhere would be followed and its target created.
        Err(_) if path.is_symlink() => None,
        Err(_) => resolved_parent(path).map(Real::Path),
    }
}

/// The number of an open file that is named by a path: "self" is another process here than there.
fn own_file(process: u32, path: &Path) -> Option<c_int> {
    match path.to_str()? {
        "/dev/stdin" => return Some(0),
        "/dev/stdout" => return Some(1),
        "/dev/stderr" => return Some(2),
        _ => {}
    }
    let folders = [
        "/dev/fd".to_owned(),
        "/proc/self/fd".to_owned(),
        "/proc/thread-self/fd".to_owned(),
        format!("/proc/{process}/fd"),
    ];
    let folder = path.parent()?.to_str()?;
    let known = folders.iter().any(|known| known == folder);
    known.then(|| path.file_name()?.to_str()?.parse().ok())?
}

/// The path with its folder resolved and its last part as it is.
fn resolved_parent(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?;
    Some(path.parent()?.canonicalize().ok()?.join(name))
}

/// `git status` and `git diff` refresh the index if they can, and do without if they cannot.
fn is_index_refresh(process: u32, path: &Path) -> bool {
    if path.file_name().is_none_or(|name| name != "index.lock") {
        return false;
    }
    let arguments = fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
    let mut arguments = arguments.split(|byte| *byte == 0);
    let program = arguments.next().unwrap_or_default();
    program.ends_with(b"git")
        && arguments.any(|argument| matches!(argument, b"status" | b"diff" | b"describe"))
}

/// A command may signal itself and what it started.
fn may_signal(process: u32, target: c_int) -> bool {
    match target {
        0 => true,
        -1 => false,
        1.. => is_below_guard(target),
        group => {
            let own = i32::try_from(process).ok().and_then(Pid::from_raw);
            let own = own.and_then(|process| getpgid(Some(process)).ok());
            let group = group.saturating_neg();
            own.is_some_and(|own| own.as_raw_nonzero().get() == group) || is_below_guard(group)
        }
    }
}

/// Orphans become children of the guard, so everything of the command is found below it.
fn is_below_guard(process: c_int) -> bool {
    let guard = getpid().as_raw_nonzero().get();
    let mut process = process;
    while process > 1 {
        let Some(parent) = parent_of(process) else {
            return false;
        };
        if parent == guard {
            return true;
        }
        process = parent;
    }
    false
}

fn parent_of(process: c_int) -> Option<c_int> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("PPid:"))?;
    line.trim().parse().ok()
}

fn is_passing(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EINTR | libc::ENOENT))
}

fn has_hung_up(listener: &OwnedFd) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    let mut files = [PollFd::new(listener, PollFlags::IN)];
    let at_once = Timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    let polled = poll(&mut files, Some(&at_once));
    polled.is_ok()
        && files
            .iter()
            .any(|file| file.revents().contains(PollFlags::HUP))
}

pub(super) fn install(program: &[sock_filter]) -> io::Result<()> {
    install_with(program, 0).map(drop)
}

pub(super) fn install_with_listener(program: &[sock_filter]) -> io::Result<OwnedFd> {
    let listener = install_with(program, libc::SECCOMP_FILTER_FLAG_NEW_LISTENER)?;
    #[expect(unsafe_code, reason = "the kernel hands out a plain number")]
    // SAFETY: the kernel has just made this descriptor for us, and nobody else knows it.
    Ok(unsafe { OwnedFd::from_raw_fd(listener) })
}

/// Puts a filter in force for this thread. It must not gain privileges any more.
#[expect(
    unsafe_code,
    reason = "no crate we use can install a filter with a listener"
)]
fn install_with(program: &[sock_filter], flags: c_ulong) -> io::Result<c_int> {
    let program = libc::sock_fprog {
        len: u16::try_from(program.len()).map_err(io::Error::other)?,
        filter: program.as_ptr().cast_mut(),
    };
    // SAFETY: the kernel only reads the program, which outlives the call, and checks its length.
    let result = unsafe {
        libc::syscall(
            libc::SYS_seccomp,
            libc::SECCOMP_SET_MODE_FILTER,
            flags,
            &raw const program,
        )
    };
    match c_int::try_from(result) {
        Ok(result @ 0..) => Ok(result),
        _ => Err(io::Error::last_os_error()),
    }
}

#[expect(unsafe_code, reason = "no crate we use knows notifications")]
fn receive(listener: &OwnedFd) -> io::Result<seccomp_notif> {
    // SAFETY: all its fields are numbers, for which zero is a value; the kernel wants it zeroed.
    let mut call: seccomp_notif = unsafe { std::mem::zeroed() };
    // SAFETY: the kernel writes one structure of this size, which the number of the command says.
    let result = unsafe {
        libc::ioctl(
            listener.as_raw_fd(),
            libc::SECCOMP_IOCTL_NOTIF_RECV,
            &raw mut call,
        )
    };
    match result {
        0 => Ok(call),
        _ => Err(io::Error::last_os_error()),
    }
}

#[expect(unsafe_code, reason = "no crate we use knows notifications")]
fn respond(listener: &OwnedFd, id: u64, continues: bool) -> io::Result<()> {
    let flag = u32::try_from(libc::SECCOMP_USER_NOTIF_FLAG_CONTINUE).unwrap_or(1);
    let mut response = seccomp_notif_resp {
        id,
        val: 0,
        error: if continues { 0 } else { -libc::EACCES },
        flags: if continues { flag } else { 0 },
    };
    // SAFETY: the kernel reads one structure of this size, which the number of the command says.
    let result = unsafe {
        libc::ioctl(
            listener.as_raw_fd(),
            libc::SECCOMP_IOCTL_NOTIF_SEND,
            &raw mut response,
        )
    };
    match result {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Zero or less without landlock.
#[expect(
    unsafe_code,
    reason = "the crate for landlock tells its version only after entering it"
)]
pub(super) fn landlock_version() -> i32 {
    const VERSION: c_long = 1;
    let nothing = std::ptr::null::<u8>();
    // SAFETY: with this flag the kernel reads and writes nothing and returns its version.
    let version = unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, nothing, 0, VERSION) };
    i32::try_from(version).unwrap_or_default()
}
