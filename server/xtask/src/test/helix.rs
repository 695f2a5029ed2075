//! Helix for the tests. Debian has one that is new enough only in a later release than most machines run, so that one is
//! unpacked into a cache folder, together with the C library it was built for. Nothing of the system is touched.

#[cfg(test)]
mod tests;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::shell;

/// From this one on it runs commands that have an argument.
const OLDEST: (u32, u32) = (25, 7);
const RELEASE: &str = "forky";
/// The editor, and what it is linked with.
const PACKAGES: [&str; 3] = ["hx", "libc6", "libgcc-s1"];
const KEYRING: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";

/// Starts it with its own loader and libraries, whatever the system's are.
const STARTER: &str = r#"#!/bin/sh
here=$(dirname "$(readlink -f "$0")")/root/usr
export HELIX_RUNTIME="$here/lib/hx/runtime"
for loader in "$here"/lib64/ld-linux* "$here"/lib/ld-linux*; do
    [ -e "$loader" ] && break
done
for libraries in "$here"/lib/*-linux-gnu; do
    exec "$loader" --library-path "$libraries" "$here/bin/hx" "$@"
done
"#;

pub(crate) fn helix() -> Result<()> {
    let folder = cache()?.join("helix");
    if is_new_enough(Path::new("hx")) || is_new_enough(&folder.join("hx")) {
        return Ok(());
    }
    println!("      no Helix that is new enough");
    if !["apt-get", "dpkg-deb"]
        .iter()
        .all(|name| shell::answers(shell::program(name).arg("--version")))
    {
        bail!("please install Helix 25.07 or newer");
    }
    let unfinished = folder.with_extension("unfinished");
    for old in [&folder, &unfinished] {
        if old.exists() {
            fs::remove_dir_all(old).with_context(|| old.display().to_string())?;
        }
    }
    unpack_into(&unfinished)?;
    fs::rename(&unfinished, &folder)?;
    if !is_new_enough(&folder.join("hx")) {
        bail!("Helix was unpacked, but does not answer");
    }
    Ok(())
}

fn unpack_into(folder: &Path) -> Result<()> {
    let apt = Apt::new(&folder.join("apt"))?;
    shell::run(apt.get().arg("update"))?;
    let packages = folder.join("packages");
    fs::create_dir_all(&packages)?;
    let mut download = apt.get();
    download.current_dir(&packages).arg("download");
    shell::run(download.args(PACKAGES))?;
    for package in fs::read_dir(&packages)? {
        let mut unpack = shell::program("dpkg-deb");
        unpack.arg("-x").arg(package?.path());
        shell::run(unpack.arg(folder.join("root")))?;
    }
    for done in [packages, folder.join("apt")] {
        fs::remove_dir_all(done)?;
    }
    let starter = folder.join("hx");
    fs::write(&starter, STARTER)?;
    shell::run(shell::program("chmod").arg("+x").arg(starter))
}

/// A package manager that knows nothing but the release with the Helix, and has no part in the system's.
struct Apt {
    configuration: PathBuf,
}

impl Apt {
    fn new(folder: &Path) -> Result<Self> {
        for name in ["state/lists/partial", "cache/archives/partial"] {
            fs::create_dir_all(folder.join(name))?;
        }
        fs::write(folder.join("state/status"), "")?;
        let mut targets = shell::program("apt-get");
        targets.args(["indextargets", "--format", "$(REPO_URI) $(CODENAME)"]);
        let targets = shell::answer(targets.arg("Created-By: Packages"))?;
        let mirror = mirror(&targets)
            .context("this machine has no Debian packages; please install Helix 25.07 or newer")?;
        let sources = folder.join("debian.sources");
        fs::write(
            &sources,
            format!(
                "Types: deb\nURIs: {mirror}\nSuites: {RELEASE}\nComponents: main\nSigned-By: {KEYRING}\n"
            ),
        )?;
        let configuration = folder.join("apt.conf");
        let shown = folder.display();
        fs::write(
            &configuration,
            format!(
                "Dir::Etc::sourcelist \"{}\";\nDir::Etc::sourceparts \"-\";\nDir::State \"{shown}/state\";\n\
                 Dir::State::status \"{shown}/state/status\";\nDir::Cache \"{shown}/cache\";\n\
                 Acquire::IndexTargets::deb::DEP-11::DefaultEnabled \"false\";\n",
                sources.display()
            ),
        )?;
        Ok(Self { configuration })
    }

    fn get(&self) -> Command {
        let mut command = shell::program("apt-get");
        command.env("APT_CONFIG", &self.configuration);
        command
    }
}

/// Where this machine gets its packages from: the archive of a release, and neither its updates nor somebody else's.
fn mirror(targets: &str) -> Option<&str> {
    let mut lines = targets.lines().filter_map(|line| line.split_once(' '));
    let main = lines.find(|(uri, release)| uri.contains("debian") && !release.contains('-'));
    main.map(|(uri, _)| uri)
}

fn is_new_enough(program: &Path) -> bool {
    let mut command = shell::program(program);
    let output = command.arg("--version").output();
    let said = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    said.ok()
        .and_then(|said| version(&said))
        .is_some_and(|version| version >= OLDEST)
}

/// "helix 25.07.1 (abcdef)"
fn version(said: &str) -> Option<(u32, u32)> {
    let mut numbers = said.strip_prefix("helix ")?.split(['.', ' ', '\n']);
    let major = numbers.next()?.parse().ok()?;
    Some((major, numbers.next()?.parse().ok()?))
}

/// Beside what other tests keep there.
pub(super) fn cache() -> Result<PathBuf> {
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let cache = cache.or_else(|| Some(home?.join(".cache")));
    Ok(cache
        .context("there is no home folder")?
        .join("pollux-tests"))
}
