//! Less memory from the C library of Linux: how it allocates, and how much of it is loaded.

/// For the environment of a process that is started: its threads keep no freed memory for themselves. That can be
/// told only from outside. What each of many threads keeps is little, but it lies between all the rest, which then cannot
/// be given back.
#[cfg(unix)]
pub(crate) const AT_START: (&str, &str) = ("GLIBC_TUNABLES", "glibc.malloc.tcache_count=0");

/// Tells the allocator about a process that waits more than it works: its threads share one arena, and what a large
/// file or answer took goes back at once instead of being kept for the next one. To be called before there are threads.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(
    unsafe_code,
    reason = "the C library takes these settings in no other way"
)]
pub(crate) fn allocate_little() {
    const LARGE: libc::c_int = 128 * 1024;
    let settings = [
        (libc::M_ARENA_MAX, 1),
        (libc::M_MMAP_THRESHOLD, LARGE),
        (libc::M_TRIM_THRESHOLD, LARGE),
    ];
    for (setting, value) in settings {
        // SAFETY: `mallopt` takes two numbers and locks the allocator itself.
        let _refused_ones_change_nothing = unsafe { libc::mallopt(setting, value) };
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn allocate_little() {}

/// Gives free memory back to the system, also what lies between memory that is in use.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "the C library offers it in no other way")]
pub(crate) fn give_back() {
    // SAFETY: `malloc_trim` takes a number and locks the allocator itself.
    let _whether_there_was_any = unsafe { libc::malloc_trim(0) };
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn give_back() {}

/// The one function that would be taken from `libm.so.6`: the worker threads of tokio weigh the length of their polls
/// with it. With this one here that library is not needed, which would hold half a megabyte in every process.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "it stands in for the C library's by its name")]
// SAFETY: the name is the C library's, and so are the types and what it computes.
#[unsafe(no_mangle)]
extern "C" fn pow(base: f64, exponent: f64) -> f64 {
    libm::pow(base, exponent)
}

#[cfg(test)]
mod tests;
