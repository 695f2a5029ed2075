//! The process that stands between the tests and the servers they start. Never shipped.

#[cfg(unix)]
fn main() -> std::process::ExitCode {
    pollux_exec::guard_main(std::env::args_os().skip(1))
}

#[cfg(not(unix))]
fn main() {}
