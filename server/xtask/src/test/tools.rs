//! Programs the tests need. What can be installed by a package manager is; the rest is said.

use anyhow::{Result, bail};

use crate::shell;

/// How this machine lets us install a Debian package.
enum Apt {
    AsRoot,
    WithSudo,
    No,
}

/// The tests drive a real editor; Debian's neovim is new enough.
pub(crate) fn neovim() -> Result<()> {
    installed(
        is_there,
        &["nvim"],
        &["neovim"],
        "please install Neovim 0.7 or newer (Debian and Ubuntu: `apt-get install neovim`, \
         macOS: `brew install neovim`)",
    )
}

/// Another editor. Its eglot is built in from version 29 on, and a package of its own before.
pub(crate) fn emacs() -> Result<()> {
    installed(
        has_eglot,
        &["emacs"],
        &["emacs-nox", "elpa-eglot"],
        "please install Emacs 29 or newer, or 28 with eglot (Debian and Ubuntu: `apt-get install \
         emacs-nox elpa-eglot`, macOS: `brew install emacs`)",
    )
}

/// Keys are kept in a real keyring, on a bus of the test's own. Other systems have another keychain, which no test touches.
pub(crate) fn keyring() -> Result<()> {
    if !cfg!(target_os = "linux") {
        return Ok(());
    }
    installed(
        // `secret-tool` has no version to tell.
        is_on_path,
        &["gnome-keyring-daemon", "dbus-run-session", "secret-tool"],
        &["gnome-keyring", "dbus", "libsecret-tools"],
        "please install gnome-keyring, dbus-run-session and secret-tool",
    )
}

/// The workbench is shown in a browser without a screen. Two of its parts are built from source.
pub(crate) fn browser() -> Result<()> {
    installed(
        is_on_path,
        &["chromium", "g++", "make", "python3"],
        &["chromium", "g++", "make", "python3"],
        "please install chromium, g++, make and python3",
    )
}

/// Installs the packages unless the programs are there.
fn installed(
    is_there: fn(&str) -> bool,
    programs: &[&str],
    packages: &[&str],
    advice: &str,
) -> Result<()> {
    let missing = || programs.iter().find(|name| !is_there(name));
    let Some(name) = missing() else {
        return Ok(());
    };
    println!("      {name} is missing");
    let prefix: &[&str] = match apt() {
        Apt::AsRoot => &["env"],
        Apt::WithSudo => &["sudo", "-n", "env"],
        Apt::No => bail!("{advice}"),
    };
    apt_get(prefix, &["update"])?;
    let install = ["install", "-y", "--no-install-recommends"];
    apt_get(prefix, &[&install, packages].concat())?;
    if let Some(name) = missing() {
        bail!("{packages:?} were installed, but `{name}` does not answer");
    }
    Ok(())
}

pub(crate) fn node() -> Result<()> {
    for name in ["node", "npm"] {
        if !is_there(name) {
            bail!("`{name}` is missing: please install Node.js 20 or newer, with npm");
        }
    }
    Ok(())
}

pub(crate) fn nextest() -> Result<()> {
    let mut version = shell::cargo();
    if shell::answers(version.args(["nextest", "--version"])) {
        return Ok(());
    }
    println!("      cargo-nextest is missing; building it takes some minutes");
    shell::run(shell::cargo().args(["install", "cargo-nextest", "--locked"]))
}

fn is_there(name: &str) -> bool {
    shell::answers(shell::program(name).arg("--version"))
}

fn has_eglot(emacs: &str) -> bool {
    let load = "(progn (package-initialize) (require 'eglot))";
    shell::answers(shell::program(emacs).args(["--batch", "--no-init-file", "--eval", load]))
}

fn is_on_path(name: &str) -> bool {
    shell::answers(shell::program("sh").args(["-c", "command -v \"$1\"", "sh", name]))
}

fn apt() -> Apt {
    if !is_there("apt-get") {
        return Apt::No;
    }
    let user = shell::answer(shell::program("id").arg("-u")).unwrap_or_default();
    if user.trim() == "0" {
        Apt::AsRoot
    } else if shell::answers(shell::program("sudo").args(["-n", "true"])) {
        Apt::WithSudo
    } else {
        Apt::No
    }
}

/// `env` carries the variable through sudo, which drops the environment.
fn apt_get(prefix: &[&str], arguments: &[&str]) -> Result<()> {
    let words: Vec<&str> = prefix
        .iter()
        .copied()
        .chain(["DEBIAN_FRONTEND=noninteractive", "apt-get"])
        .chain(arguments.iter().copied())
        .collect();
    let Some((name, rest)) = words.split_first() else {
        bail!("nothing to run");
    };
    shell::run(shell::program(name).args(rest))
}
