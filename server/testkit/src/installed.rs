//! Programs that `cargo xtask test` has put where people keep what can be fetched again.

use std::path::PathBuf;

/// The folder of everything that was installed for tests.
#[expect(
    clippy::disallowed_methods,
    reason = "tests find their programs where the person does"
)]
pub fn installed_root() -> PathBuf {
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let cache = cache.or_else(|| Some(home?.join(".cache")));
    cache.expect("a home folder").join("pollux-tests")
}

/// One of them, by its path in there.
pub fn installed(path: &str) -> PathBuf {
    let path = installed_root().join(path);
    assert!(
        path.exists(),
        "{} is missing: `cargo xtask test` installs it",
        path.display()
    );
    path
}
