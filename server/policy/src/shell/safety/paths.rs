//! Paths that may be read without asking.

use std::path::{Component, Path, PathBuf};

use super::Place;
use crate::shell::Folder;

/// Whether the path stays in the workspace, links followed, and does not lead to anything secret.
pub(super) fn is_harmless(path: &str, folder: &Folder, place: &Place<'_>) -> bool {
    if path == "-" || path == "/dev/null" {
        return true;
    }
    // Windows accepts these, and bash leaves a `~` alone that stands in quotes.
    if path.starts_with(['~', '\\', '$', '`']) || path.contains('\0') || path.contains("://") {
        return false;
    }
    match folder {
        Folder::Start => leads_inside(place.cwd, path, place),
        Folder::Maybe(folders) => {
            leads_inside(place.cwd, path, place)
                && folders
                    .iter()
                    .all(|to| leads_inside(&place.cwd.join(to), path, place))
        }
        // Absolute paths do not care; a relative one could lead anywhere by a link that is not looked at.
        Folder::Unknown => Path::new(path).is_absolute() && leads_inside(place.cwd, path, place),
    }
}

fn leads_inside(cwd: &Path, path: &str, place: &Place<'_>) -> bool {
    let absolute = cwd.join(path);
    let Some(resolved) = place.view.resolve(&absolute) else {
        return false;
    };
    let is_inside = |path: &Path| place.roots.iter().any(|root| path.starts_with(root));
    // What lies beyond the part that exists keeps its `..`.
    let Some(resolved) = without_dots(&resolved) else {
        return false;
    };
    // A link in the middle makes `..` mean something else, so the written path has to stay inside as well.
    let Some(written) = without_dots(&absolute) else {
        return false;
    };
    is_inside(&resolved)
        && (is_inside(&written) || !path.contains(".."))
        && !is_secret(&resolved)
        && !is_secret(&written)
}

/// The path without `.` and `..`, as far as the text tells.
pub(super) fn plain(path: &Path) -> PathBuf {
    without_dots(path).unwrap_or_else(|| path.to_owned())
}

fn without_dots(path: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                if !plain.pop() {
                    return None;
                }
            }
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    Some(plain)
}

fn is_secret(path: &Path) -> bool {
    path.components()
        .any(|component| is_secret_name(&component.as_os_str().to_string_lossy()))
}

/// Whether a file or folder of this name may hold keys or passwords.
pub fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    matches!(
        name.as_str(),
        ".env"
            | ".git"
            | ".ssh"
            | ".gnupg"
            | ".aws"
            | ".azure"
            | ".kube"
            | ".docker"
            | ".netrc"
            | "_netrc"
            | ".npmrc"
            | ".pypirc"
            | ".pgpass"
            | ".git-credentials"
            | ".htpasswd"
            | ".vault-token"
            | "credentials"
            | "credentials.json"
            | "secrets.json"
            | "secrets.yaml"
            | "secrets.yml"
            | "shadow"
    ) || name.starts_with(".env.")
        || name.starts_with("gha-creds")
        || name.starts_with("id_rsa")
        || name.starts_with("id_dsa")
        || name.starts_with("id_ecdsa")
        || name.starts_with("id_ed25519")
        || [".pem", ".key", ".p12", ".pfx", ".keystore", ".jks"]
            .iter()
            .any(|end| name.ends_with(end))
}

/// All folders that a relative path may begin in; `None` if they are not known.
pub(super) fn folders(folder: &Folder, place: &Place<'_>) -> Option<Vec<PathBuf>> {
    let start = place.cwd.to_owned();
    match folder {
        Folder::Start => Some(vec![start]),
        Folder::Maybe(folders) => {
            let further = folders.iter().map(|to| place.cwd.join(to));
            Some(std::iter::once(start).chain(further).collect())
        }
        Folder::Unknown => None,
    }
}
