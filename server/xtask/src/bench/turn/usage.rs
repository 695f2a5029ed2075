//! The processor time of programs that have ended, and of some that run.

use std::fs;
use std::time::Duration;

use anyhow::{Context, Result, bail};

/// Of all threads that these processes have now, to the nanosecond. Linux only.
pub(super) fn of_running(pids: &[u32]) -> Result<Duration> {
    let mut all = Duration::ZERO;
    for pid in pids {
        let path = format!("/proc/{pid}/task");
        for thread in fs::read_dir(&path).with_context(|| path)? {
            // One may end while it is looked at.
            let Ok(line) = fs::read_to_string(thread?.path().join("schedstat")) else {
                continue;
            };
            let run = line.split_whitespace().next().context("no time")?;
            all += Duration::from_nanos(run.parse()?);
        }
    }
    Ok(all)
}

/// User and system time of all our children that have ended and were waited for, and of theirs.
/// The files under `/proc` count in hundredths of a second, which is more than a whole turn.
#[cfg(unix)]
#[expect(unsafe_code, reason = "the standard library does not ask for it")]
pub(super) fn of_ended_children() -> Result<Duration> {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::uninit();
    // SAFETY: the pointer is good for one `rusage`, and is read only when the call has filled it.
    let usage = unsafe {
        if libc::getrusage(libc::RUSAGE_CHILDREN, usage.as_mut_ptr()) != 0 {
            bail!("getrusage: {}", std::io::Error::last_os_error());
        }
        usage.assume_init()
    };
    Ok(duration(usage.ru_utime)? + duration(usage.ru_stime)?)
}

#[cfg(not(unix))]
pub(super) fn of_ended_children() -> Result<Duration> {
    bail!("this system does not say what its programs used")
}

#[cfg(unix)]
fn duration(time: libc::timeval) -> Result<Duration> {
    let seconds = Duration::from_secs(u64::try_from(time.tv_sec)?);
    Ok(seconds + Duration::from_micros(u64::try_from(time.tv_usec)?))
}
