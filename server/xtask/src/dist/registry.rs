//! The entry of the ACP registry, from which Zed and other clients install the agent: made from the archives of a release, and
//! held to the rules that the registry and Zed have for it.

mod rules;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde_json::{Map, Value, json};

use crate::shell;
use crate::zed::Manifest;

#[cfg(test)]
mod tests;

const ID: &str = "pollux";
const ICON: &str = "editors/zed/icon.svg";
const ARCHIVE: &str = ".tar.gz";

/// Writes `registry/pollux/` with everything the registry wants, from all archives of the version that lie in the folder:
/// those of other platforms are built elsewhere and put beside ours.
pub(crate) fn write(dist: &Path, version: &str) -> Result<PathBuf> {
    let icon = fs::read_to_string(shell::root().join(ICON)).context("the icon of the agent")?;
    let manifest = Manifest::read()?;
    let entry = entry(&manifest, version, &archives(dist, version)?)?;
    let broken = [rules::of_entry(&entry), rules::of_icon(&icon)].concat();
    if !broken.is_empty() {
        bail!("the registry would refuse the entry: {}", broken.join("; "));
    }
    let folder = dist.join("registry").join(ID);
    fs::create_dir_all(&folder)?;
    fs::write(folder.join("icon.svg"), icon)?;
    let path = folder.join("agent.json");
    fs::write(&path, format!("{entry:#}\n"))?;
    if manifest.has_placeholder() {
        println!(
            "      not to be published yet: `repository` in zed-extension/extension.toml is nobody's"
        );
    }
    Ok(path)
}

struct Archive {
    name: String,
    sha256: String,
}

fn archives(dist: &Path, version: &str) -> Result<Vec<Archive>> {
    let mut found = Vec::new();
    for file in fs::read_dir(dist)? {
        let name = file?.file_name().to_string_lossy().into_owned();
        if triple(&name, version).is_none() {
            continue;
        }
        let checksum = fs::read_to_string(dist.join(format!("{name}.sha256")));
        let checksum = checksum.with_context(|| format!("{name} has no checksum"))?;
        let sha256 = checksum.split_whitespace().next().unwrap_or_default();
        found.push(Archive {
            name,
            sha256: sha256.to_owned(),
        });
    }
    found.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(found)
}

/// What an archive was built for, from its name.
fn triple<'name>(archive: &'name str, version: &str) -> Option<&'name str> {
    archive
        .strip_prefix(&format!("pollux-{version}-"))?
        .strip_suffix(ARCHIVE)
}

fn entry(manifest: &Manifest, version: &str, archives: &[Archive]) -> Result<Value> {
    let mut binary = Map::new();
    for archive in archives {
        let triple = triple(&archive.name, version).unwrap_or_default();
        let (platform, program) =
            platform(triple).with_context(|| format!("the registry knows no `{triple}`"))?;
        let address = format!(
            "{}/releases/download/v{version}/{}",
            manifest.repository, archive.name
        );
        binary.insert(
            platform,
            json!({"archive": address, "sha256": archive.sha256, "cmd": program, "args": ["acp"]}),
        );
    }
    Ok(json!({
        "id": ID,
        "name": manifest.name,
        "version": version,
        "description": manifest.description,
        "repository": manifest.repository,
        "license": "Apache-2.0",
        "distribution": {"binary": binary},
    }))
}

/// `linux-x86_64` and the like, and the program in an archive for it.
fn platform(triple: &str) -> Option<(String, &'static str)> {
    let architecture = triple.split('-').next()?;
    if !matches!(architecture, "x86_64" | "aarch64") {
        return None;
    }
    let (system, program) = if triple.contains("-linux-") {
        ("linux", "./pollux")
    } else if triple.ends_with("-apple-darwin") {
        ("darwin", "./pollux")
    } else if triple.contains("-windows-") {
        ("windows", "./pollux.exe")
    } else {
        return None;
    };
    Some((format!("{system}-{architecture}"), program))
}
