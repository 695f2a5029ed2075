//! Knowing when a process that is not ours has ended.

/// Resolves when the process has ended. Never, if there is no such process to begin with: an
/// editor in another container names an id that means nothing here.
#[cfg(target_os = "linux")]
pub async fn process_ended(process: u32) {
    use rustix::process::{Pid, PidfdFlags, pidfd_open};
    use tokio::io::Interest;
    use tokio::io::unix::AsyncFd;

    #[expect(
        unsafe_code,
        reason = "tokio has no safe way to wait for a file of this kind"
    )]
    // SAFETY: the handle owns its descriptor and never changes it.
    let register =
        |handle| unsafe { AsyncFd::register_with_interest(handle, Interest::READABLE).ok() };
    let handle = i32::try_from(process)
        .ok()
        .and_then(Pid::from_raw)
        .and_then(|process| pidfd_open(process, PidfdFlags::NONBLOCK).ok())
        .and_then(register);
    let Some(handle) = handle else {
        return std::future::pending().await;
    };
    // It becomes readable when the process ends, and an error would not be news of anything else.
    let _ended = handle.readable().await;
}

#[cfg(all(unix, not(target_os = "linux")))]
pub async fn process_ended(process: u32) {
    use rustix::process::{Pid, test_kill_process};

    let process = i32::try_from(process).ok().and_then(Pid::from_raw);
    let alive = |process| test_kill_process(process) != Err(rustix::io::Errno::SRCH);
    let Some(process) = process.filter(|process| alive(*process)) else {
        return std::future::pending().await;
    };
    let mut often = tokio::time::interval(std::time::Duration::from_secs(2));
    while alive(process) {
        often.tick().await;
    }
}

#[cfg(not(unix))]
pub async fn process_ended(_: u32) {
    std::future::pending().await
}

#[cfg(test)]
mod tests;
