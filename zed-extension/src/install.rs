//! A release on this machine: downloaded once, checked, kept until the extension has another version.
//!
//! A version's folder gets its name only after its program was checked, so whatever has that name may be started.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use sha2::{Digest, Sha256};
use zed_extension_api::http_client::{HttpMethod, HttpRequest, RedirectPolicy};
use zed_extension_api::{
    self as zed, DownloadedFileType, LanguageServerId, LanguageServerInstallationStatus as Status,
};

use crate::manifest;
use crate::missing::{Missing, Reason};
use crate::release::{self, Assets, Release};

/// More than this is no checksum.
const CHECKSUM_LIMIT: usize = 4096;

/// The program to start, in the extension's own folder. Where this version cannot be had, an older one is better than none.
pub(crate) fn program(server: &LanguageServerId) -> Result<String, Missing> {
    let release = Release::of(manifest::VERSION, zed::current_platform())?;
    let ready = release.program_in(&release.folder());
    if Path::new(&ready).is_file() {
        return Ok(ready);
    }
    zed::set_language_server_installation_status(server, &Status::Downloading);
    match install(&release) {
        Ok(()) => {
            zed::set_language_server_installation_status(server, &Status::None);
            Ok(ready)
        }
        Err(reason) => {
            if let Some(older) = older(&release) {
                zed::set_language_server_installation_status(server, &Status::None);
                return Ok(older);
            }
            let missing = Missing::from(reason);
            let status = Status::Failed(missing.to_string());
            zed::set_language_server_installation_status(server, &status);
            Err(missing)
        }
    }
}

fn install(release: &Release) -> Result<(), Reason> {
    let repository = manifest::releases().ok_or(Reason::NoRepository)?;
    let published = zed::github_release_by_tag_name(repository, &release.tag());
    let published = published.map_err(|why| Reason::NoRelease {
        tag: release.tag(),
        why,
    })?;
    let assets = release.assets(&published)?;
    let unfinished = release.unfinished();
    let result = fill(release, &assets, &unfinished);
    if result.is_err() {
        remove(&unfinished);
        return result;
    }
    for name in release::leftovers(&names(), &release.folder()) {
        remove(name);
    }
    Ok(())
}

/// Downloads into a folder that no start looks at, and renames it once it is whole.
fn fill(release: &Release, assets: &Assets, unfinished: &str) -> Result<(), Reason> {
    let expected = published_digest(release, &assets.checksum)?;
    remove(unfinished);
    zed::download_file(&assets.archive, unfinished, DownloadedFileType::GzipTar).map_err(
        |why| Reason::Download {
            asset: release.archive(),
            why,
        },
    )?;
    let program = release.program_in(unfinished);
    let found = digest_of(&program).map_err(disk)?;
    if found != expected {
        return Err(Reason::Checksum { expected, found });
    }
    zed::make_file_executable(&program).map_err(Reason::Disk)?;
    // Without its program it is only in the way.
    remove(&release.folder());
    fs::rename(unfinished, release.folder()).map_err(disk)
}

fn published_digest(release: &Release, address: &str) -> Result<String, Reason> {
    let failed = |why| Reason::Download {
        asset: release.checksum(),
        why,
    };
    let request = HttpRequest::builder()
        .method(HttpMethod::Get)
        .url(address)
        // GitHub keeps the files of a release elsewhere.
        .redirect_policy(RedirectPolicy::FollowAll)
        .build()
        .map_err(failed)?;
    let body = request.fetch().map_err(failed)?.body;
    let text = body.get(..body.len().min(CHECKSUM_LIMIT));
    let text = String::from_utf8_lossy(text.unwrap_or_default());
    release::digest(&text).ok_or_else(|| Reason::NoChecksum(release.checksum()))
}

fn digest_of(path: &str) -> io::Result<String> {
    let mut file = File::open(path)?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 64 * 1024];
    while let length @ 1.. = file.read(&mut buffer)? {
        hasher.update(buffer.get(..length).unwrap_or_default());
    }
    let digest = hasher.finalize();
    Ok(digest.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn older(release: &Release) -> Option<String> {
    let names = names();
    let programs = release::versions(&names)
        .into_iter()
        .map(|folder| release.program_in(folder));
    programs
        .into_iter()
        .find(|program| Path::new(program).is_file())
}

/// What lies in the extension's own folder.
fn names() -> Vec<String> {
    let entries = fs::read_dir(".").into_iter().flatten().flatten();
    entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect()
}

/// Windows keeps a program that runs; that one goes with the next version.
fn remove(folder: &str) {
    let _still_in_use_or_not_there = fs::remove_dir_all(folder);
}

fn disk(error: io::Error) -> Reason {
    Reason::Disk(error.to_string())
}
