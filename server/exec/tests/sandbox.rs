//! What is forbidden is prevented, and what people do all day still works.
//!
//! Where the kernel cannot prevent, the same tests assert that this is said and nothing is run.

use std::path::Path;
use std::sync::Arc;

use pollux_exec::{
    Ended, Exit, FileSupport, InForce, Network, Readable, SandboxProfile, ShellCommand, ShellError,
    private_caches, sandbox_support, start,
};
use tempfile::TempDir;

use crate::support::{guard, in_time, on_terminal, text};

/// A workspace, a folder for temporary files, and something outside of both.
struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Place {
        let folder = tempfile::tempdir().unwrap();
        for name in ["workspace", "temporary", "outside"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        std::fs::write(folder.path().join("outside/file"), "untouched").unwrap();
        Place { folder }
    }

    fn workspace(&self) -> std::path::PathBuf {
        self.folder.path().join("workspace")
    }

    fn profile(&self) -> SandboxProfile {
        let temporary = self.folder.path().join("temporary");
        SandboxProfile::for_workspace(&[self.workspace()], &temporary)
    }

    fn command(&self, command: &str, profile: SandboxProfile) -> ShellCommand {
        let mut command = on_terminal(command);
        command.folder = self.workspace();
        let caches = private_caches(&self.folder.path().join("temporary"));
        command.environment.retain(|(name, _)| name != "TMPDIR");
        command.environment.extend(
            caches
                .into_iter()
                .map(|(name, path)| (name.into(), path.into())),
        );
        command.sandbox = Some(profile);
        command
    }

    /// Runs the command in the sandbox. `None` where there is none, after checking that this was
    /// said and that nothing ran.
    async fn run(&self, command: &str, profile: SandboxProfile) -> Option<Arc<Ended>> {
        let support = sandbox_support();
        let network = profile.network;
        let covered = support.covers(&profile);
        let started = start(&guard(), self.command(command, profile)).await;
        if !covered {
            assert!(matches!(started, Err(ShellError::Sandbox { .. })));
            return None;
        }
        let running = started.unwrap();
        let FileSupport::Landlock { version, .. } = support.files else {
            panic!("it was covered");
        };
        let in_force = match network {
            Network::Allowed => InForce::Files { landlock: version },
            Network::Denied => InForce::FilesAndNetwork { landlock: version },
        };
        assert_eq!(running.sandbox(), in_force);
        Some(in_time(running.wait()).await)
    }

    async fn check(&self, command: &str, expected: &str) {
        if let Some(ended) = self.run(command, self.profile()).await {
            assert_eq!(text(&ended), expected);
        }
    }

    async fn succeeds(&self, command: &str) {
        if let Some(ended) = self.run(command, self.profile()).await {
            assert_eq!(ended.exit, Exit::Code(0), "{}", text(&ended));
        }
    }
}

fn is_there(program: &str) -> bool {
    #[expect(clippy::disallowed_methods, reason = "tests look for programs")]
    let path = std::env::var_os("PATH").unwrap();
    std::env::split_paths(&path).any(|folder| folder.join(program).exists())
}

#[tokio::test]
async fn outside_of_the_workspace_nothing_is_written() {
    let place = Place::new();
    let attempts = "for attempt in 'echo x > ../outside/file' 'echo x >> ../outside/file' \
        'echo x > ../outside/new' 'rm ../outside/file' 'mkdir ../outside/folder' \
        'mv ../outside/file here' 'ln ../outside/file here' 'truncate -s 0 ../outside/file'; do \
        (eval \"$attempt\") 2> /dev/null && echo \"worked: $attempt\"; done; echo tried";
    place.check(attempts, "tried\n").await;
    let file = place.folder.path().join("outside/file");
    assert_eq!(std::fs::read_to_string(file).unwrap(), "untouched");
}

#[tokio::test]
async fn inside_of_it_everything_can_be_written() {
    let place = Place::new();
    let command = "mkdir -p a/b && echo x > a/b/c && mv a/b/c d && ln d e && ln -s d f && rm d e f \
        && echo $$ > \"$TMPDIR\"/x && cat < ../outside/file && echo > /dev/null";
    place.check(command, "untouched").await;
}

#[tokio::test]
async fn there_is_no_network() {
    let place = Place::new();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let connect = format!("(echo > /dev/tcp/127.0.0.1/{port}) 2> /dev/null && echo yes || echo no");
    place.check(&connect, "no\n").await;
    let udp = format!("(echo > /dev/udp/127.0.0.1/{port}) 2> /dev/null && echo yes || echo no");
    place.check(&udp, "no\n").await;
    let mut profile = place.profile();
    profile.network = Network::Allowed;
    if let Some(ended) = place.run(&connect, profile).await {
        assert_eq!(text(&ended), "yes\n");
    }
}

#[tokio::test]
async fn what_is_not_listed_cannot_be_read() {
    let place = Place::new();
    let system = [
        "/usr",
        "/bin",
        "/lib",
        "/lib64",
        "/etc",
        "/proc",
        "/dev/null",
    ];
    let mut profile = place.profile();
    profile.readable = Readable::Only(system.map(Into::into).to_vec());
    let command = "echo mine > mine; cat mine; cat ../outside/file 2> /dev/null || echo no";
    if let Some(ended) = place.run(command, profile).await {
        assert_eq!(text(&ended), "mine\nno\n");
    }
}

#[tokio::test]
async fn the_guard_cannot_be_killed_from_inside() {
    let FileSupport::Landlock { version, .. } = sandbox_support().files else {
        return assert!(!sandbox_support().covers(&Place::new().profile()));
    };
    let place = Place::new();
    let said = if version >= 6 { "no\n" } else { "" };
    let command = "kill -KILL $PPID 2> /dev/null || echo no";
    place.check(command, said).await;
}

#[tokio::test]
async fn git_works() {
    let place = Place::new();
    place
        .succeeds(
            "git init -q . && git config user.name Ada && git config user.email ada@host.test && \
             echo x > file && git status && git add file && git commit -m first && \
             git log --oneline && git switch -c other && git diff HEAD",
        )
        .await;
}

#[tokio::test]
async fn cargo_builds() {
    let place = Place::new();
    let workspace = place.workspace();
    write(
        &workspace.join("Cargo.toml"),
        "[package]\nname = \"tiny\"\nedition = \"2021\"\n",
    );
    write(
        &workspace.join("src/main.rs"),
        "fn main() { println!(\"built\"); }\n",
    );
    place
        .succeeds("unset CARGO_TARGET_DIR; cargo build --offline && test \"$(target/debug/tiny)\" = built")
        .await;
}

#[tokio::test]
async fn npm_installs() {
    assert!(is_there("npm"), "the editors' extensions need npm anyway");
    let place = Place::new();
    let workspace = place.workspace();
    write(
        &workspace.join("local/package.json"),
        "{\"name\": \"local\", \"version\": \"1.0.0\"}",
    );
    write(
        &workspace.join("local/index.js"),
        "module.exports = 'installed';",
    );
    write(
        &workspace.join("package.json"),
        "{\"name\": \"tiny\", \"version\": \"1.0.0\", \"dependencies\": {\"local\": \"file:local\"}, \
         \"scripts\": {\"postinstall\": \"node -p \\\"require('local')\\\" > result\"}}",
    );
    place
        .succeeds("npm install --package-lock-only --ignore-scripts --offline && npm ci --offline")
        .await;
    if sandbox_support().covers(&place.profile()) {
        let result = std::fs::read_to_string(workspace.join("result")).unwrap();
        assert_eq!(result, "installed\n");
    }
}

fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}
