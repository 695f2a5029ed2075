//! Packages of other Debian releases than the machine's own, unpacked into a folder. Nothing of the system is touched.

#[cfg(test)]
mod tests;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::shell;

const KEYRING: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";

/// A package manager that knows nothing but these releases, and has no part in the system's.
pub(crate) struct Apt {
    folder: PathBuf,
}

impl Apt {
    /// Keeps its own files in the folder, until it has unpacked something.
    pub(crate) fn of(releases: &[&str], folder: &Path) -> Result<Self> {
        for name in ["apt-get", "dpkg-deb"] {
            if !shell::answers(shell::program(name).arg("--version")) {
                bail!("this machine has no Debian packages: there is no `{name}`");
            }
        }
        for name in ["state/lists/partial", "cache/archives/partial", "packages"] {
            fs::create_dir_all(folder.join(name))?;
        }
        fs::write(folder.join("state/status"), "")?;
        let mut targets = shell::program("apt-get");
        targets.args(["indextargets", "--format", "$(REPO_URI) $(CODENAME)"]);
        let targets = shell::answer(targets.arg("Created-By: Packages"))?;
        let mirror = mirror(&targets).context("this machine has no Debian packages")?;
        let suites = releases.join(" ");
        fs::write(
            folder.join("debian.sources"),
            format!(
                "Types: deb\nURIs: {mirror}\nSuites: {suites}\nComponents: main\nSigned-By: {KEYRING}\n"
            ),
        )?;
        let shown = folder.display();
        fs::write(
            folder.join("apt.conf"),
            format!(
                "Dir::Etc::sourcelist \"{shown}/debian.sources\";\nDir::Etc::sourceparts \"-\";\n\
                 Dir::State \"{shown}/state\";\nDir::State::status \"{shown}/state/status\";\n\
                 Dir::Cache \"{shown}/cache\";\n\
                 Acquire::IndexTargets::deb::DEP-11::DefaultEnabled \"false\";\n"
            ),
        )?;
        let apt = Self {
            folder: folder.to_path_buf(),
        };
        shell::run(apt.get().arg("update"))?;
        Ok(apt)
    }

    /// Unpacks these packages, `name` or `name/release`, and then takes its own files away.
    pub(crate) fn unpack(self, packages: &[&str], root: &Path) -> Result<()> {
        let downloads = self.folder.join("packages");
        let mut download = self.get();
        download.current_dir(&downloads).arg("download");
        shell::run(download.args(packages))?;
        for package in fs::read_dir(&downloads)? {
            let mut unpack = shell::program("dpkg-deb");
            unpack.arg("-x").arg(package?.path());
            shell::run(unpack.arg(root))?;
        }
        Ok(fs::remove_dir_all(&self.folder)?)
    }

    fn get(&self) -> Command {
        let mut command = shell::program("apt-get");
        command.env("APT_CONFIG", self.folder.join("apt.conf"));
        command
    }
}

/// Starts a program of packages that were unpacked into `root` beside it, with their own loader and libraries, whatever the
/// system's are.
pub(super) struct Starter {
    /// What the program needs in its environment. `$here` is `root/usr`.
    pub(super) before: &'static str,
    /// The program and its first arguments.
    pub(super) command: &'static str,
}

impl Starter {
    pub(super) fn write(&self, path: &Path) -> Result<()> {
        let Self { before, command } = self;
        let script = format!(
            r#"#!/bin/sh
here=$(dirname "$(readlink -f "$0")")/root/usr
{before}
for loader in "$here"/lib64/ld-linux* "$here"/lib/ld-linux*; do
    [ -e "$loader" ] && break
done
for libraries in "$here"/lib/*-linux-gnu; do
    exec "$loader" --library-path "$libraries" {command} "$@"
done
"#
        );
        fs::write(path, script)?;
        shell::run(shell::program("chmod").arg("+x").arg(path))
    }
}

/// Where this machine gets its packages from: the archive of a release, and neither its updates nor somebody else's.
fn mirror(targets: &str) -> Option<&str> {
    let mut lines = targets.lines().filter_map(|line| line.split_once(' '));
    let main = lines.find(|(uri, release)| uri.contains("debian") && !release.contains('-'));
    main.map(|(uri, _)| uri)
}
