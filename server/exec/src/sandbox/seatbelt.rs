//! Sandbox profiles in the language of macOS's Seatbelt.
//!
//! Nothing is run with them yet: they say what the same confinement is there.

use std::fmt::Write;
use std::path::Path;

use super::{Network, Readable, SandboxProfile};

/// Devices that can always be written.
const DEVICES: &[&str] = &["/dev/null", "/dev/zero", "/dev/tty"];

impl SandboxProfile {
    /// What a read-only command may touch.
    pub fn read_only(scratch: &Path) -> SandboxProfile {
        SandboxProfile {
            writable: vec![scratch.to_owned()],
            readable: Readable::Everything,
            network: Network::Denied,
        }
    }

    /// The profile as text for `sandbox-exec -p`. `None` if a path is not text.
    pub fn to_seatbelt(&self) -> Option<String> {
        let mut text = String::from("(version 1)\n(allow default)\n(deny file-write*)\n");
        text.push_str("(allow file-write-data file-ioctl");
        for device in DEVICES {
            let _never_fails = write!(text, "\n    (literal {})", quoted(Path::new(device))?);
        }
        text.push_str(")\n");
        add_subpaths(&mut text, "file-write*", &self.writable)?;
        if let Readable::Only(paths) = &self.readable {
            text.push_str("(deny file-read-data)\n");
            add_subpaths(&mut text, "file-read-data", paths)?;
            add_subpaths(&mut text, "file-read-data", &self.writable)?;
        }
        if self.network == Network::Denied {
            text.push_str("(deny network*)\n");
        }
        text.push_str("(deny signal)\n(allow signal (target same-sandbox))\n");
        Some(text)
    }
}

fn add_subpaths(text: &mut String, operation: &str, paths: &[std::path::PathBuf]) -> Option<()> {
    if paths.is_empty() {
        return Some(());
    }
    let _never_fails = write!(text, "(allow {operation}");
    for path in paths {
        let _never_fails = write!(text, "\n    (subpath {})", quoted(path)?);
    }
    text.push_str(")\n");
    Some(())
}

/// A path as a string of the profile: it must not end the string and say more.
fn quoted(path: &Path) -> Option<String> {
    let text = path.to_str()?;
    if text.contains(char::is_control) {
        return None;
    }
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
    Some(format!("\"{escaped}\""))
}

#[cfg(test)]
mod tests;
