//! A command that is said to only read can only read, and what else it tries is reported.
//!
//! Where the kernel cannot hold it to that, the same tests assert that this is said.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pollux_exec::{
    AccessKind, CommandAccess, Ended, Exit, InForce, ReadOnlySupport, RefusedAccess, ShellCommand,
    read_only_support, start,
};
use tempfile::TempDir;

use crate::support::{guard, in_time, is_alive, on_pipes, on_terminal, text};

struct Workspace {
    folder: TempDir,
}

impl Workspace {
    fn new() -> Workspace {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("file"), "untouched\n").unwrap();
        std::fs::create_dir(folder.path().join("folder")).unwrap();
        Workspace { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    /// `None` where the kernel confines nothing, after checking that this is said.
    async fn run(&self, command: ShellCommand) -> Option<Arc<Ended>> {
        let command = ShellCommand {
            folder: self.path(""),
            access: CommandAccess::ReadOnly,
            ..command
        };
        let running = start(&guard(), command).await.unwrap();
        let in_force = match read_only_support() {
            ReadOnlySupport::Confined { landlock } => InForce::ReadOnly { landlock },
            ReadOnlySupport::NotConfined { .. } => InForce::Nothing,
        };
        assert_eq!(running.sandbox(), in_force);
        let ended = in_time(running.wait()).await;
        (in_force != InForce::Nothing).then_some(ended)
    }

    /// Runs a command on a terminal and expects exactly these refusals.
    async fn refuses(&self, command: &str, expected: &[(AccessKind, Option<PathBuf>)]) {
        let before = self.snapshot();
        let Some(ended) = self.run(on_terminal(command)).await else {
            return;
        };
        let refused: Vec<_> = expected
            .iter()
            .map(|(kind, path)| RefusedAccess {
                kind: *kind,
                path: path.clone(),
            })
            .collect();
        assert_eq!(ended.refused, refused, "{command}: {}", text(&ended));
        assert_eq!(self.snapshot(), before, "{command}");
    }

    /// Runs a command that must succeed and be reported for nothing.
    async fn allows(&self, command: &str, output: &str) {
        for command in [on_terminal(command), on_pipes(command)] {
            let shown = command.command.clone();
            let Some(ended) = self.run(command).await else {
                return;
            };
            assert_eq!(text(&ended), output, "{shown}");
            assert_eq!(ended.refused, [], "{shown}");
            assert_eq!(ended.exit, Exit::Code(0), "{shown}");
        }
    }

    /// Names, contents, modes and times of everything in the workspace.
    fn snapshot(&self) -> Vec<(PathBuf, Vec<u8>, u32, std::time::SystemTime)> {
        let mut found = Vec::new();
        list(self.folder.path(), &mut found);
        found.sort();
        found
    }
}

fn list(folder: &Path, found: &mut Vec<(PathBuf, Vec<u8>, u32, std::time::SystemTime)>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let data = std::fs::symlink_metadata(&path).unwrap();
        let content = std::fs::read(&path).unwrap_or_default();
        let modified = data.modified().unwrap();
        found.push((path.clone(), content, data.permissions().mode(), modified));
        if data.is_dir() {
            list(&path, found);
        }
    }
}

#[tokio::test]
async fn writing_is_refused_and_reported_with_its_path() {
    let workspace = Workspace::new();
    let file = || Some(workspace.path("file"));
    let new = || Some(workspace.path("new"));
    for (command, kind, path) in [
        ("echo x > file", AccessKind::Write, file()),
        ("echo x >> file", AccessKind::Write, file()),
        ("echo x > new", AccessKind::Write, new()),
        (
            "cd folder; echo x > ../file",
            AccessKind::Write,
            Some(workspace.path("folder/../file")),
        ),
        ("rm -f file", AccessKind::Remove, file()),
        (
            "rmdir folder",
            AccessKind::Remove,
            Some(workspace.path("folder")),
        ),
        ("mkdir new", AccessKind::CreateFolder, new()),
        ("mkfifo new", AccessKind::CreateDevice, new()),
        ("ln -s file new", AccessKind::CreateLink, new()),
        ("ln file new", AccessKind::CreateLink, new()),
        ("mv file new", AccessKind::Rename, new()),
    ] {
        workspace.refuses(command, &[(kind, path)]).await;
    }
}

#[tokio::test]
async fn what_landlock_does_not_know_is_refused_and_reported() {
    let workspace = Workspace::new();
    let file = || Some(workspace.path("file"));
    for (command, kind) in [
        ("chmod 777 file", AccessKind::ChangeMode),
        ("chown $(id -u) file", AccessKind::ChangeOwner),
        ("touch -c -d 2001-01-01 file", AccessKind::ChangeTimes),
        ("touch -h -d 2001-01-01 file", AccessKind::ChangeTimes),
        (
            "python3 -c 'import os; os.setxattr(\"file\", \"user.a\", b\"x\")' 2> /dev/null",
            AccessKind::ChangeAttributes,
        ),
        (
            "python3 -c 'import os; os.truncate(\"file\", 0)' 2> /dev/null",
            AccessKind::Truncate,
        ),
        (
            "python3 -c 'import os; os.fchmod(os.open(\"file\", os.O_RDONLY), 0)' 2> /dev/null",
            AccessKind::ChangeMode,
        ),
        (
            "python3 -c 'import os; os.open(\"file\", os.O_RDONLY | os.O_TRUNC)' 2> /dev/null",
            AccessKind::Write,
        ),
    ] {
        workspace.refuses(command, &[(kind, file())]).await;
    }
}

#[tokio::test]
async fn the_network_is_refused_and_reported() {
    let workspace = Workspace::new();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    for protocol in ["tcp", "udp"] {
        let command = format!("(echo x > /dev/{protocol}/127.0.0.1/{port}) 2> /dev/null");
        let network = [(AccessKind::Network, None)];
        workspace.refuses(&command, &network).await;
    }
}

#[tokio::test]
async fn local_sockets_are_refused_without_a_report() {
    let workspace = Workspace::new();
    let script = "import socket
for name in ('\\0abstract', '/tmp/socket'):
    try:
        socket.socket(socket.AF_UNIX).connect(name); print('connected')
    except PermissionError: print('refused')
a, b = socket.socketpair(); a.send(b'x'); print(b.recv(1).decode())";
    let command = format!("python3 -c \"{script}\"");
    workspace.allows(&command, "refused\nrefused\nx\n").await;
}

#[tokio::test]
async fn strangers_cannot_be_signalled() {
    let workspace = Workspace::new();
    #[expect(
        clippy::disallowed_methods,
        reason = "a process that is not the command's"
    )]
    let mut stranger = std::process::Command::new("sleep")
        .arg("60")
        .spawn()
        .unwrap();
    let command = format!("kill -KILL {}", stranger.id());
    let signal = [(AccessKind::Signal, None)];
    workspace.refuses(&command, &signal).await;
    workspace.refuses("kill -KILL $PPID", &signal).await;
    assert_eq!(stranger.try_wait().unwrap(), None);
    assert!(is_alive(stranger.id()));
    stranger.kill().unwrap();
    stranger.wait().unwrap();
}

#[tokio::test]
async fn commands_signal_their_own_processes() {
    let workspace = Workspace::new();
    let command = "sleep 60 & kill $!; wait $!; echo $?; timeout 0.01 sleep 60; echo $?";
    workspace.allows(command, "143\n124\n").await;
}

#[tokio::test]
async fn reading_is_allowed_and_not_reported() {
    let workspace = Workspace::new();
    for (command, output) in [
        ("cat file; ls folder", "untouched\n"),
        ("grep missing file; echo $?", "1\n"),
        ("cat missing 2> /dev/null; echo $?", "1\n"),
        ("ls -l . > /dev/null && id > /dev/null && echo yes", "yes\n"),
        (
            "echo a > /dev/stdout; echo b > /dev/stderr; echo c > /dev/fd/1",
            "a\nb\nc\n",
        ),
        (
            "echo x | tee /dev/null | sort | uniq -c | tr -d ' '",
            "1x\n",
        ),
        ("cat <<< hello; cat <<END\nthere\nEND", "hello\nthere\n"),
        ("cat <(echo inner)", "inner\n"),
    ] {
        workspace.allows(command, output).await;
    }
}

#[tokio::test]
async fn the_scratch_folder_can_be_written_and_goes_with_the_command() {
    let workspace = Workspace::new();
    let command =
        "cd $TMPDIR && mkdir a && echo x > a/b && mv a/b c && ln -s c d && rm d && cat c && pwd";
    let Some(ended) = workspace.run(on_pipes(command)).await else {
        return;
    };
    let output = text(&ended);
    let folder = output.strip_prefix("x\n").unwrap().trim();
    assert_eq!(ended.refused, []);
    assert!(folder.starts_with('/'), "{folder}");
    assert!(!Path::new(folder).exists());
    let Some(ended) = workspace
        .run(on_pipes("seq 3 | sort -S 1b -T $TMPDIR -r"))
        .await
    else {
        return;
    };
    assert_eq!(
        (text(&ended).as_str(), ended.refused.len()),
        ("3\n2\n1\n", 0)
    );
}

#[tokio::test]
async fn links_out_of_the_scratch_folder_are_refused() {
    let workspace = Workspace::new();
    let file = workspace.path("file");
    let command = format!(
        "ln -s {0} $TMPDIR/link; ln -s {0}.new $TMPDIR/dangling; cd $TMPDIR; \
         echo x > link; echo x > dangling",
        file.display()
    );
    let before = workspace.snapshot();
    if let Some(ended) = workspace.run(on_pipes(&command)).await {
        let kinds: Vec<_> = ended.refused.iter().map(|refused| refused.kind).collect();
        assert_eq!(
            kinds,
            [AccessKind::Write, AccessKind::Write],
            "{}",
            text(&ended)
        );
        assert_eq!(workspace.snapshot(), before);
    }
}

#[tokio::test]
async fn git_reads_without_being_reported() {
    let workspace = Workspace::new();
    let prepared = crate::support::run(ShellCommand {
        folder: workspace.path(""),
        ..on_pipes(
            "git init -q . && git add file && git -c user.name=Ada -c user.email=a@host.test \
             commit -qm first && touch -d 2001-01-01 file",
        )
    });
    assert_eq!(prepared.await.exit, Exit::Code(0));
    workspace
        .allows(
            "git status --porcelain; git diff; git log --format=%s",
            "first\n",
        )
        .await;
}

#[tokio::test]
async fn a_command_that_tries_again_and_again_is_reported_once() {
    let workspace = Workspace::new();
    let write = [(AccessKind::Write, Some(workspace.path("file")))];
    let command = "for i in 1 2 3 4 5; do echo x > file; done 2> /dev/null";
    workspace.refuses(command, &write).await;
    let many = "for i in {1..200}; do : > new$i; done 2> /dev/null; echo done";
    if let Some(ended) = workspace.run(on_pipes(many)).await {
        assert_eq!((text(&ended).as_str(), ended.refused.len()), ("done\n", 32));
    }
}

/// A thread changes the path between the notifier's look and the kernel's: landlock decides.
#[tokio::test]
async fn a_path_that_changes_meanwhile_gains_nothing() {
    let workspace = Workspace::new();
    let script = format!(
        "import ctypes, os, threading
a = os.environ['TMPDIR'].encode() + b'/x'
b = b'{}'
size = max(len(a), len(b)) + 1
path = ctypes.create_string_buffer(a, size)
libc = ctypes.CDLL(None)
stop = False
def swap():
    while not stop:
        ctypes.memmove(path, b + b'\\\\0', len(b) + 1); ctypes.memmove(path, a + b'\\\\0', len(a) + 1)
thread = threading.Thread(target=swap); thread.start()
for _ in range(300):
    fd = libc.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    if fd >= 0: os.write(fd, b'x'); os.close(fd)
stop = True; thread.join(); print('tried')",
        workspace.path("file").display()
    );
    let before = workspace.snapshot();
    let command = format!("python3 - <<'END'\n{script}\nEND");
    if let Some(ended) = workspace.run(on_pipes(&command)).await {
        assert!(text(&ended).ends_with("tried\n"), "{}", text(&ended));
        assert_eq!(
            std::fs::read(workspace.path("file")).unwrap(),
            b"untouched\n"
        );
        let names = |snapshot: Vec<(PathBuf, Vec<u8>, u32, std::time::SystemTime)>| {
            snapshot
                .into_iter()
                .map(|entry| entry.1)
                .collect::<Vec<_>>()
        };
        assert_eq!(names(workspace.snapshot()), names(before));
    }
}
