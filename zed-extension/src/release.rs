//! What a release is made of, and which of the folders beside us came from one.

use zed_extension_api::{Architecture, GithubRelease, Os};

use crate::missing::Reason;

#[cfg(test)]
mod tests;

/// A version's folder begins with this.
const FOLDER: &str = "pollux-";
/// So does that of a download that is not checked yet, which no start may take for a version.
const UNFINISHED: &str = "unfinished-";

/// One version for one platform.
pub(crate) struct Release {
    version: &'static str,
    triple: &'static str,
    program: &'static str,
}

/// Where to get it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Assets {
    pub(crate) archive: String,
    pub(crate) checksum: String,
}

impl Release {
    pub(crate) fn of(
        version: &'static str,
        (os, architecture): (Os, Architecture),
    ) -> Result<Self, Reason> {
        let triple = match (os, architecture) {
            (Os::Linux, Architecture::X8664) => "x86_64-unknown-linux-gnu",
            (Os::Linux, Architecture::Aarch64) => "aarch64-unknown-linux-gnu",
            (Os::Mac, Architecture::X8664) => "x86_64-apple-darwin",
            (Os::Mac, Architecture::Aarch64) => "aarch64-apple-darwin",
            (Os::Windows, Architecture::X8664) => "x86_64-pc-windows-msvc",
            (Os::Windows, Architecture::Aarch64) => "aarch64-pc-windows-msvc",
            (_, Architecture::X86) => return Err(Reason::Platform("32-bit processors")),
        };
        let program = match os {
            Os::Windows => "pollux.exe",
            Os::Linux | Os::Mac => "pollux",
        };
        Ok(Self {
            version,
            triple,
            program,
        })
    }

    pub(crate) fn tag(&self) -> String {
        format!("v{}", self.version)
    }

    /// As `cargo xtask dist` calls it.
    pub(crate) fn archive(&self) -> String {
        format!("pollux-{}-{}.tar.gz", self.version, self.triple)
    }

    /// The checksum of the program inside, because that is what will run.
    pub(crate) fn checksum(&self) -> String {
        format!("pollux-{}-{}.sha256", self.version, self.triple)
    }

    pub(crate) fn folder(&self) -> String {
        format!("{FOLDER}{}", self.version)
    }

    pub(crate) fn unfinished(&self) -> String {
        format!("{UNFINISHED}{}", self.version)
    }

    /// The program in a folder.
    pub(crate) fn program_in(&self, folder: &str) -> String {
        format!("{folder}/{}", self.program)
    }

    /// Both files, from what is published.
    pub(crate) fn assets(&self, published: &GithubRelease) -> Result<Assets, Reason> {
        let address = |name: String| {
            let mut assets = published.assets.iter();
            let asset = assets.find(|asset| asset.name == name);
            asset
                .map(|asset| asset.download_url.clone())
                .ok_or_else(|| Reason::NoAsset {
                    tag: self.tag(),
                    asset: name,
                })
        };
        Ok(Assets {
            archive: address(self.archive())?,
            checksum: address(self.checksum())?,
        })
    }
}

/// The folders of other versions, the newest first.
pub(crate) fn versions(names: &[String]) -> Vec<&str> {
    let mut found: Vec<(Vec<u64>, &str)> = names
        .iter()
        .filter_map(|name| Some((numbers(name.strip_prefix(FOLDER)?)?, name.as_str())))
        .collect();
    found.sort();
    found.into_iter().rev().map(|(_, name)| name).collect()
}

/// What is ours among these and has no use once `kept` is there.
pub(crate) fn leftovers<'name>(names: &'name [String], kept: &str) -> Vec<&'name str> {
    let ours = names.iter().map(String::as_str).filter(|name| {
        let version = name
            .strip_prefix(FOLDER)
            .or_else(|| name.strip_prefix(UNFINISHED));
        version.and_then(numbers).is_some()
    });
    ours.filter(|name| *name != kept).collect()
}

/// Of `1.10.2` or `1.10.2-rc.1`, so that both come after `1.9.0`.
fn numbers(version: &str) -> Option<Vec<u64>> {
    let plain = version.split('-').next()?;
    plain.split('.').map(|part| part.parse().ok()).collect()
}

/// What `sha256sum` wrote: the digest, two spaces, a name.
pub(crate) fn digest(checksum: &str) -> Option<String> {
    let word = checksum.split_whitespace().next()?;
    let is_digest = word.len() == 64 && word.chars().all(|letter| letter.is_ascii_hexdigit());
    is_digest.then(|| word.to_ascii_lowercase())
}
