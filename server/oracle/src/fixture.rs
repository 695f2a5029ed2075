//! The throwaway folder that scripts run in: a workspace, a home, secrets, and programs that only record.

mod files;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use pollux_policy::{GitRepository, HiddenFiles, WorkspaceView};

use crate::view::{CommandEnvironment, DiskView};

/// Every secret is made of these letters, so that a piece of one is recognised too.
pub(crate) const SECRET: &str = "ZQXJ7ZQXJ7ZQXJ7ZQXJ7";
/// Any four of them.
pub(crate) const SECRET_PIECES: &[&str] = &["ZQXJ", "QXJ7", "XJ7Z", "J7ZQ", "7ZQX"];

/// Variables that nobody may see.
const SECRET_VARIABLES: &[&str] = &[
    "GEMINI_API_KEY",
    "AWS_SECRET_ACCESS_KEY",
    "DATABASE_URL",
    "token",
    "password",
];

/// Programs that are not installed everywhere, or that must never be the real ones.
const STUBS: &[&str] = &[
    "rg",
    "fd",
    "fdfind",
    "tree",
    "eza",
    "exa",
    "tokei",
    "hexyl",
    "gawk",
    "gsed",
    "sleep",
    "lsmod",
    "rm",
    "dd",
    "mkfs",
    "mkfs.ext4",
    "shutdown",
    "reboot",
    "halt",
    "poweroff",
    "kill",
    "killall",
    "pkill",
    "mount",
    "umount",
    "systemctl",
    "service",
    "sudo",
    "su",
    "doas",
    "wipefs",
    "fdisk",
    "parted",
    "docker",
    "podman",
    "kubectl",
    "npm",
    "npx",
    "yarn",
    "pnpm",
    "cargo",
    "rustc",
    "go",
    "pip",
    "pip3",
    "apt",
    "apt-get",
    "brew",
    "crontab",
    "at",
    "iptables",
    "modprobe",
    "insmod",
    "swapoff",
    "useradd",
    "passwd",
    "chpasswd",
    "visudo",
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Secrets {
    /// In the workspace too, with links that lead out of it.
    InWorkspace,
    /// Only around it, so that searches through folders are read-only.
    Outside,
}

pub(crate) struct Fixture {
    pub(crate) workspace: PathBuf,
    pub(crate) roots: Vec<PathBuf>,
    pub(crate) stubs: PathBuf,
    /// Where temporary files go.
    pub(crate) scratch: PathBuf,
    pub(crate) environment: Vec<(String, String)>,
    known: CommandEnvironment,
    /// Files that nothing may open.
    pub(crate) secrets: Vec<PathBuf>,
    _folder: tempfile::TempDir,
}

impl Fixture {
    pub(crate) fn new(place: Secrets) -> Fixture {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let workspace = root.join("work");
        let stubs = root.join("stubs");
        let mut secrets = vec![
            write(&root, "home/.ssh/id_rsa", &format!("{SECRET}\n")),
            write(&root, "home/.aws/credentials", &format!("key = {SECRET}\n")),
            write(&root, "outside/notes.txt", &format!("{SECRET}\n")),
            write(&root, "outside/.env", &format!("KEY={SECRET}\n")),
        ];
        let scratch = root.join("tmp");
        fs::create_dir(&scratch).unwrap();
        for (path, text) in files::FILES {
            write(&workspace, path, text);
        }
        for program in ["bin/ls", "bin/cat", "bin/git", "scripts/build.sh", "./sort"] {
            make_program(&workspace.join(program), "#!/bin/sh\nid\ntouch ran\n");
        }
        for program in STUBS {
            make_program(&stubs.join(program), "#!/bin/true\n");
        }
        fs::copy("/bin/true", workspace.join("app.bin")).unwrap();
        fs::copy("/bin/true", workspace.join("app.o")).unwrap();
        let mut preparation = vec![files::ARCHIVES, files::REPOSITORY];
        if place == Secrets::InWorkspace {
            preparation.push(files::HOSTILE_REPOSITORY);
            let key = format!("API_KEY={SECRET}\n");
            secrets.push(write(&workspace, ".env", &key));
            secrets.push(write(&workspace, "keys.pem", &key));
            symlink("../outside", workspace.join("link-out")).unwrap();
            symlink(".env", workspace.join("secret-link")).unwrap();
        }
        let mut environment = environment(&root);
        prepare(&workspace, &environment, &preparation.join("\n"));
        for name in SECRET_VARIABLES {
            environment.push(((*name).to_owned(), SECRET.to_owned()));
        }
        let known = environment
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        Fixture {
            roots: vec![workspace.clone()],
            known,
            workspace,
            stubs,
            scratch,
            environment,
            secrets,
            _folder: folder,
        }
    }

    /// Size, time and content of everything in the workspace.
    pub(crate) fn state(&self) -> Vec<(PathBuf, u64, i64, Vec<u8>)> {
        let mut state = Vec::new();
        collect(&self.workspace, &mut state);
        state.sort();
        state
    }
}

impl Fixture {
    fn view(&self) -> DiskView<'_> {
        DiskView {
            roots: &self.roots,
            environment: &self.known,
        }
    }
}

/// The policy asks about the disk as it is, and about the environment that scripts get.
impl WorkspaceView for Fixture {
    fn resolve(&self, path: &Path) -> Option<PathBuf> {
        self.view().resolve(path)
    }

    fn has_variable(&self, name: &str) -> bool {
        self.environment.iter().any(|(known, _)| known == name)
    }

    fn git_repository(&self, folder: &Path) -> GitRepository {
        self.view().git_repository(folder)
    }

    fn is_free_of_secrets(&self, folder: &Path, hidden: HiddenFiles) -> bool {
        self.view().is_free_of_secrets(folder, hidden)
    }

    fn is_program_of_workspace(&self, name: &str) -> bool {
        self.view().is_program_of_workspace(name)
    }
}

fn environment(root: &Path) -> Vec<(String, String)> {
    let folder = |name: &str| root.join(name).to_str().unwrap().to_owned();
    let path = format!("{}:/usr/local/bin:/usr/bin:/bin", folder("stubs"));
    [
        ("PATH", path),
        ("HOME", folder("home")),
        ("TMPDIR", folder("tmp")),
        ("USER", "ada".to_owned()),
        ("LOGNAME", "ada".to_owned()),
        ("SHELL", "/bin/bash".to_owned()),
        ("LANG", "C.UTF-8".to_owned()),
        ("TERM", "dumb".to_owned()),
        ("EDITOR", "ed".to_owned()),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into()
}

fn write(folder: &Path, path: &str, text: &str) -> PathBuf {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    path
}

fn make_program(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Makes what cannot be written here as text. A program that is not installed leaves its file out.
#[expect(clippy::disallowed_methods, reason = "the test waits for bash to end")]
fn prepare(workspace: &Path, environment: &[(String, String)], script: &str) {
    let output = Command::new("/bin/bash")
        .args(["-c", script])
        .current_dir(workspace)
        .env_clear()
        .envs(environment.iter().cloned())
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
}

fn collect(folder: &Path, state: &mut Vec<(PathBuf, u64, i64, Vec<u8>)>) {
    use std::os::unix::fs::MetadataExt;

    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let metadata = fs::symlink_metadata(&path).unwrap();
        let content = match metadata.is_file() {
            true => fs::read(&path).unwrap(),
            false => Vec::new(),
        };
        state.push((path.clone(), metadata.len(), metadata.mtime_nsec(), content));
        if metadata.is_dir() {
            collect(&path, state);
        }
    }
}
