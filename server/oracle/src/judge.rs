//! What the policy says about a script, and which programs that lets it start.

use std::path::{Path, PathBuf};

use pollux_policy::shell::{self, Command, Word};
use pollux_policy::{ApprovalMode, Call, Context, Decision, Policy, Presence, Trust};
use serde_json::{Map, Value};

use crate::fixture::Fixture;
use crate::notifier::{Admission, ProgramCheck, ProgramStart};

/// The parts of the script if the default mode runs it without a question, because it only reads.
pub(crate) fn judged_parts(
    policy: &Policy,
    fixture: &Fixture,
    script: &str,
) -> Option<Vec<Command>> {
    let mut args = Map::new();
    args.insert("command".to_owned(), Value::String(script.to_owned()));
    let call = Call {
        tool: "run_shell_command",
        args: &args,
        server: None,
        subagent: None,
        annotations: None,
    };
    let context = Context {
        mode: ApprovalMode::Default,
        presence: Presence::Interactive,
        trust: Trust::Trusted,
        cwd: &fixture.workspace,
        roots: &fixture.roots,
        view: fixture,
    };
    let verdict = policy.decide(&call, &context);
    if verdict.decision != Decision::Allow {
        return None;
    }
    assert!(
        verdict.is_allowed_as_read_only(),
        "{script}: {}",
        verdict.reason
    );
    Some(shell::parse(script).unwrap().commands)
}

/// Whether the command can have become these words.
fn explains(command: &Command, ran: &[String]) -> bool {
    // What is known of the words up to the first that is not.
    let literals: Vec<&str> = command.words.iter().map_while(Word::literal).collect();
    let is_whole = literals.len() == command.words.len();
    let begins = ran.len() >= literals.len() && literals.iter().zip(ran).all(|(a, b)| a == b);
    begins && !literals.is_empty() && (!is_whole || ran.len() == literals.len())
}

/// Programs that are shell scripts or have helpers of their own: who starts, and what.
const HELPERS: &[(&str, &str)] = &[
    ("egrep", "grep"),
    ("fgrep", "grep"),
    ("zcat", "gzip"),
    ("gunzip", "gzip"),
    ("tar", "gzip"),
    ("tar", "xz"),
    ("tar", "bzip2"),
    ("dpkg", "dpkg-query"),
    ("scp", "ssh"),
];

/// Programs that are run for real once they are judged. Everything else is refused when it would start.
const READERS: &[&str] = &[
    "[",
    "addr2line",
    "arch",
    "awk",
    "b2sum",
    "base32",
    "base64",
    "basename",
    "basenc",
    "bash",
    "bc",
    "bzcat",
    "c++filt",
    "cal",
    "cat",
    "cksum",
    "cmp",
    "colrm",
    "column",
    "comm",
    "cut",
    "date",
    "df",
    "diff",
    "dir",
    "dirname",
    "dpkg",
    "dpkg-query",
    "du",
    "echo",
    "egrep",
    "env",
    "expand",
    "expr",
    "factor",
    "false",
    "fgrep",
    "file",
    "find",
    "fmt",
    "fold",
    "free",
    "getconf",
    "getent",
    "git",
    "grep",
    "groups",
    "gzip",
    "hd",
    "head",
    "hexdump",
    "hostname",
    "iconv",
    "id",
    "ionice",
    "join",
    "jq",
    "locale",
    "logname",
    "ls",
    "lsattr",
    "lsblk",
    "lscpu",
    "mawk",
    "md5sum",
    "namei",
    "nice",
    "nl",
    "nm",
    "nproc",
    "numfmt",
    "objdump",
    "od",
    "paste",
    "pathchk",
    "pgrep",
    "pidof",
    "pr",
    "printenv",
    "printf",
    "ps",
    "pstree",
    "pwd",
    "readelf",
    "readlink",
    "realpath",
    "rev",
    "sed",
    "seq",
    "sh",
    "sha1sum",
    "sha224sum",
    "sha256sum",
    "sha384sum",
    "sha512sum",
    "shuf",
    "size",
    "sort",
    "stat",
    "stdbuf",
    "strings",
    "sum",
    "tac",
    "tail",
    "tar",
    "test",
    "time",
    "timeout",
    "tput",
    "tr",
    "true",
    "tsort",
    "tty",
    "uname",
    "unexpand",
    "uniq",
    "unzip",
    "uptime",
    "users",
    "vdir",
    "vmstat",
    "wc",
    "whereis",
    "which",
    "who",
    "whoami",
    "xargs",
    "xxd",
    "xz",
    "xzcat",
    "yes",
    "zcat",
    "zipinfo",
    "zstdcat",
];

/// Programs that the everyday table also runs for real. What they change is refused.
const OTHERS: &[&str] = &[
    "bunzip2", "bzip2", "chgrp", "chmod", "chown", "cp", "csplit", "curl", "ed", "gcc", "gunzip",
    "install", "ln", "make", "mkdir", "mkfifo", "mktemp", "mv", "node", "nohup", "objcopy",
    "openssl", "patch", "perl", "php", "python3", "ranlib", "rmdir", "ruby", "scp", "setfattr",
    "shred", "split", "sqlite3", "ssh", "strip", "tee", "touch", "truncate", "unlink", "unxz",
    "wget", "zip", "zstd",
];

/// Which programs may really run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Programs {
    /// Those that only read.
    Readers,
    /// Those of the everyday table too, so that it shows what they do.
    Everyday,
}

impl Programs {
    pub(crate) fn include(self, name: &str) -> bool {
        READERS.contains(&name) || self == Programs::Everyday && OTHERS.contains(&name)
    }
}

const SYSTEM_FOLDERS: &[&str] = &["/bin", "/usr/bin", "/usr/local/bin"];

/// The program's file, if it is installed.
pub(crate) fn installed(name: &str) -> Option<PathBuf> {
    let mut files = SYSTEM_FOLDERS
        .iter()
        .map(|folder| Path::new(folder).join(name));
    files.find(|file| file.is_file())
}

/// Compares what starts with the parts of a script.
pub(crate) struct PartsCheck {
    pub(crate) parts: Vec<Command>,
    pub(crate) programs: Programs,
    pub(crate) stubs: PathBuf,
}

impl ProgramCheck for PartsCheck {
    fn check(&mut self, start: &ProgramStart<'_>) -> Admission {
        let name = |path: &Path| {
            let name = path.file_name().unwrap_or_default();
            name.to_string_lossy().into_owned()
        };
        let (program, by) = (name(start.path), name(start.by));
        let folder = start.path.parent().unwrap_or(Path::new(""));
        if by == "git" && folder.ends_with("git-core") {
            let is_needed = program == "git" || self.programs == Programs::Everyday;
            return if is_needed {
                Admission::Run
            } else {
                Admission::Violation
            };
        }
        let is_stub = folder == self.stubs;
        let is_system = SYSTEM_FOLDERS
            .iter()
            .any(|known| folder == Path::new(known));
        let is_helper = HELPERS.contains(&(by.as_str(), program.as_str()));
        let is_part = self.parts.iter().any(|part| explains(part, start.words));
        if !(is_stub || is_system) || !(is_part || is_helper) {
            return Admission::Violation;
        }
        match is_stub || self.programs.include(&program) {
            true => Admission::Run,
            false => Admission::Refuse,
        }
    }
}
