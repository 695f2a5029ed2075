//! Where host and doors meet: a folder only its owner can enter.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use pollux_settings::Environment;

/// The longest name a socket can have, less a little.
const SOCKET_PATH_LIMIT: usize = 100;

/// The files of one host. Their names carry the version, so that an upgrade never talks to an old
/// host, and the settings folder, so that another home is another host.
#[derive(Clone, Debug)]
pub(crate) struct Runtime {
    pub(crate) socket: PathBuf,
    folder: PathBuf,
    name: String,
}

impl Runtime {
    /// Makes the folder if it is not there, and refuses one that others can enter.
    pub(crate) fn open(environment: &Environment) -> Result<Self> {
        let folder = folder(environment);
        // The host works at the root of the file system, so another folder is meant there.
        ensure!(
            folder.is_absolute(),
            "{} is not a whole path; set POLLUX_RUNTIME_DIR to one that starts with /",
            folder.display()
        );
        fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&folder)
            .with_context(|| format!("{} cannot be made", folder.display()))?;
        check_owner(&folder)?;
        let name = format!(
            "host-{}-{:08x}",
            env!("CARGO_PKG_VERSION"),
            identity(environment)
        );
        let socket = folder.join(format!("{name}.sock"));
        ensure!(
            socket.as_os_str().len() <= SOCKET_PATH_LIMIT,
            "{} is too long for a socket; set POLLUX_RUNTIME_DIR to a shorter folder",
            socket.display()
        );
        Ok(Self {
            socket,
            folder,
            name,
        })
    }

    /// Which only its owner can enter.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Held by a host for as long as it lives. Whoever holds it owns the socket.
    pub(crate) fn host_lock(&self) -> Result<File> {
        self.lock_file("lock")
    }

    /// Held by a door while it starts a host, so that two doors do not start two.
    pub(crate) fn start_lock(&self) -> Result<File> {
        self.lock_file("start")
    }

    fn lock_file(&self, kind: &str) -> Result<File> {
        let path = self.folder.join(format!("{}.{kind}", self.name));
        OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .mode(0o600)
            .open(&path)
            .with_context(|| format!("{} cannot be opened", path.display()))
    }
}

/// Takes a lock that others hold for a short while only. Whoever holds it longer hangs, and must not make every door
/// hang with it.
pub(crate) fn lock_within(lock: &File, patience: Duration) -> Result<()> {
    let started = Instant::now();
    loop {
        match lock.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(error)) => {
                return Err(error).context("the start lock is not to be had");
            }
            Err(TryLockError::WouldBlock) => {}
        }
        ensure!(
            started.elapsed() < patience,
            "another door has been starting the host for {patience:?}; end it and try again"
        );
        std::thread::park_timeout(Duration::from_millis(5));
    }
}

fn folder(environment: &Environment) -> PathBuf {
    if let Some(folder) = environment.get("POLLUX_RUNTIME_DIR") {
        return PathBuf::from(folder);
    }
    // Clients of MCP start their servers with a few variables only, and this is where it points as a rule. A door without
    // the variable has to find the host of one that has it.
    let usual = PathBuf::from(format!("/run/user/{}", user()));
    let named = environment.get("XDG_RUNTIME_DIR").map(PathBuf::from);
    match named.unwrap_or(usual) {
        folder if is_own_folder(&folder) => folder.join("pollux"),
        _ => PathBuf::from(format!("/tmp/pollux-{}", user())),
    }
}

fn is_own_folder(folder: &Path) -> bool {
    fs::metadata(folder).is_ok_and(|found| found.is_dir() && found.uid() == user())
}

fn check_owner(folder: &Path) -> Result<()> {
    // Not followed if it is a link: somebody else could have put it there.
    let metadata = fs::symlink_metadata(folder)?;
    if !metadata.is_dir() || metadata.uid() != user() || metadata.mode() & 0o077 != 0 {
        bail!(
            "{} can be entered by others; remove it, or set POLLUX_RUNTIME_DIR to a folder of your own",
            folder.display()
        );
    }
    Ok(())
}

/// What a host must have in common with its doors, besides the version.
fn identity(environment: &Environment) -> u32 {
    let mut hasher = DefaultHasher::new();
    environment.get("GEMINI_CLI_HOME").hash(&mut hasher);
    environment.get("HOME").hash(&mut hasher);
    if cfg!(debug_assertions) {
        // Between releases the version says nothing: a rebuilt binary gets a new host.
        let program = this_program().and_then(fs::metadata);
        program
            .map(|program| (program.len(), program.mtime(), program.mtime_nsec()))
            .ok()
            .hash(&mut hasher);
    }
    let [.., a, b, c, d] = hasher.finish().to_be_bytes();
    u32::from_be_bytes([a, b, c, d])
}

/// This very program, even when an upgrade has put another in its place.
pub(crate) fn this_program() -> io::Result<PathBuf> {
    if cfg!(target_os = "linux") {
        return Ok(PathBuf::from("/proc/self/exe"));
    }
    std::env::current_exe()
}

pub(crate) fn user() -> u32 {
    rustix::process::getuid().as_raw()
}

#[cfg(test)]
mod tests;
