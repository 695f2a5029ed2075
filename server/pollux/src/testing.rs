//! A folder in which tests run real commands, with git among them and nothing of the person's own set-up.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use pollux_exec::Variable;
use tempfile::TempDir;

pub(crate) struct Folder {
    _folder: TempDir,
    /// Around the workspace, for what must not lie in it.
    pub(crate) base: PathBuf,
    pub(crate) root: PathBuf,
    pub(crate) environment: Vec<Variable>,
}

impl Folder {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let base = fs::canonicalize(folder.path()).unwrap();
        let root = base.join("w");
        let home = base.join("home");
        for made in [&root, &home] {
            fs::create_dir(made).unwrap();
        }
        #[expect(
            clippy::disallowed_methods,
            reason = "git has to be found in the tests too"
        )]
        let path = std::env::var_os("PATH").unwrap_or_default();
        let variables = [
            ("PATH", path),
            ("HOME", home.into()),
            ("GIT_CONFIG_NOSYSTEM", "1".into()),
            // After a commit git may go on in the background, and be in the way of what comes next.
            ("GIT_CONFIG_COUNT", "1".into()),
            ("GIT_CONFIG_KEY_0", "maintenance.auto".into()),
            ("GIT_CONFIG_VALUE_0", "false".into()),
            ("GIT_CONFIG_GLOBAL", "/dev/null".into()),
            ("GIT_AUTHOR_NAME", "A".into()),
            ("GIT_AUTHOR_EMAIL", "a@example.org".into()),
            ("GIT_COMMITTER_NAME", "A".into()),
            ("GIT_COMMITTER_EMAIL", "a@example.org".into()),
        ];
        Self {
            base,
            root,
            environment: variables.map(|(name, value)| (name.into(), value)).to_vec(),
            _folder: folder,
        }
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn mode(&self, path: &str, mode: u32) {
        let permissions = fs::Permissions::from_mode(mode);
        fs::set_permissions(self.root.join(path), permissions).unwrap();
    }

    pub(crate) fn shell(&self, command: &str) -> String {
        #[expect(
            clippy::disallowed_methods,
            reason = "the commands under test are real ones"
        )]
        let output = std::process::Command::new("bash")
            .args(["-c", command])
            .current_dir(&self.root)
            .env_clear()
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "`{command}`: {said}");
        String::from_utf8(output.stdout).unwrap()
    }
}
