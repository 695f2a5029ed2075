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
    if is_there("nvim") {
        return Ok(());
    }
    println!("      nvim is missing");
    let prefix: &[&str] = match apt() {
        Apt::AsRoot => &["env"],
        Apt::WithSudo => &["sudo", "-n", "env"],
        Apt::No => bail!(
            "please install Neovim 0.7 or newer (Debian and Ubuntu: `apt-get install neovim`, \
             macOS: `brew install neovim`)"
        ),
    };
    apt_get(prefix, &["update"])?;
    apt_get(
        prefix,
        &["install", "-y", "--no-install-recommends", "neovim"],
    )?;
    if !is_there("nvim") {
        bail!("the package neovim was installed, but `nvim --version` does not answer");
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
