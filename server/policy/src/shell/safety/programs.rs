//! Programs that only read, with what their arguments are.

/// What the arguments of a program are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Takes {
    /// Text that the program only prints or computes with.
    Text,
    /// No argument at all.
    Nothing,
    /// Files and folders.
    Files,
    /// At most one file: a second one would be written.
    OneFile,
    /// A pattern, unless an option gives it, then files.
    PatternAndFiles,
}

pub(super) struct Program {
    pub(super) name: &'static str,
    pub(super) takes: Takes,
    /// Options that write, run something or read what is not named.
    pub(super) refused: &'static [&'static str],
    /// Letters of options whose value is the next word and no file.
    pub(super) text_options: &'static str,
}

const fn program(name: &'static str, takes: Takes, refused: &'static [&'static str]) -> Program {
    Program {
        name,
        takes,
        refused,
        text_options: "",
    }
}

const fn with_values(
    name: &'static str,
    takes: Takes,
    refused: &'static [&'static str],
    text_options: &'static str,
) -> Program {
    Program {
        name,
        takes,
        refused,
        text_options,
    }
}

use Takes::{Files, Nothing, OneFile, PatternAndFiles, Text};

const CHECKS: &[&str] = &["-c", "--check"];

pub(super) const PROGRAMS: &[Program] = &[
    program(":", Text, &[]),
    program("true", Text, &[]),
    program("false", Text, &[]),
    program("pwd", Text, &[]),
    program("whoami", Text, &[]),
    program("logname", Text, &[]),
    program("groups", Text, &[]),
    program("users", Nothing, &[]),
    program("who", Nothing, &[]),
    program("tty", Nothing, &[]),
    program("arch", Nothing, &[]),
    program("nproc", Text, &[]),
    program("uname", Text, &[]),
    program("hostname", Nothing, &[]),
    program("uptime", Text, &[]),
    program("free", Text, &[]),
    program("lscpu", Text, &[]),
    program("lsmod", Nothing, &[]),
    program("mount", Nothing, &[]),
    program("locale", Text, &[]),
    program("cal", Text, &[]),
    program("echo", Text, &[]),
    program("expr", Text, &[]),
    program("seq", Text, &[]),
    program("factor", Text, &[]),
    program("which", Text, &[]),
    program("whereis", Text, &[]),
    program("type", Text, &[]),
    program("id", Text, &[]),
    program("tr", Text, &[]),
    program("numfmt", Text, &[]),
    program("basename", Text, &[]),
    program("dirname", Text, &[]),
    program("realpath", Text, &[]),
    program("readlink", Text, &[]),
    program("pathchk", Text, &[]),
    program("sleep", Text, &[]),
    program("exit", Text, &[]),
    program("break", Text, &[]),
    program("continue", Text, &[]),
    program("wait", Nothing, &[]),
    program("jobs", Nothing, &[]),
    program("dirs", Nothing, &[]),
    program("times", Nothing, &[]),
    program("cat", Files, &[]),
    with_values("cut", Files, &[], "dfbc"),
    program("ls", Files, &[]),
    program("dir", Files, &[]),
    program("eza", Files, &[]),
    program("exa", Files, &[]),
    with_values("nl", Files, &[], "bdfhilnsvw"),
    with_values("paste", Files, &[], "d"),
    program("rev", Files, &[]),
    with_values("stat", Files, &[], "c"),
    program("tac", Files, &["-s", "--separator"]),
    with_values("head", Files, &[], "nc"),
    with_values("tail", Files, &[], "ncs"),
    program("wc", Files, &["--files0-from"]),
    with_values("du", Files, &["--files0-from", "-X", "--exclude-from"], "d"),
    program("df", Files, &[]),
    with_values(
        "tree",
        Files,
        &["-o", "-R", "-H", "-T", "--fromfile", "--fromtabfile"],
        "LIP",
    ),
    program("uniq", OneFile, &[]),
    program("base64", Files, &["-o", "--output"]),
    program("base32", Files, &["-o", "--output"]),
    program("md5sum", Files, CHECKS),
    program("sha1sum", Files, CHECKS),
    program("sha224sum", Files, CHECKS),
    program("sha256sum", Files, CHECKS),
    program("sha384sum", Files, CHECKS),
    program("sha512sum", Files, CHECKS),
    program("b2sum", Files, CHECKS),
    program("cksum", Files, CHECKS),
    program("sum", Files, &[]),
    program("cmp", Files, &[]),
    program("comm", Files, &[]),
    with_values("join", Files, &[], "tjo12aev"),
    with_values("fold", Files, &[], "w"),
    with_values("fmt", Files, &[], "wp"),
    with_values("expand", Files, &[], "t"),
    with_values("unexpand", Files, &[], "t"),
    with_values("column", Files, &[], "soN"),
    program("colrm", Text, &[]),
    program("tsort", Files, &[]),
    with_values("od", Files, &[], "AtjNS"),
    with_values("hexdump", Files, &["-f"], "nse"),
    program("hexyl", Files, &[]),
    with_values("strings", Files, &["-T", "--target"], "nte"),
    program(
        "file",
        Files,
        &[
            "-C",
            "--compile",
            "-f",
            "--files-from",
            "-m",
            "--magic-file",
            "-z",
            "-Z",
            "--uncompress",
            "-p",
            "--preserve-date",
        ],
    ),
    program("zcat", Files, &[]),
    program("zipinfo", OneFile, &[]),
    with_values("shuf", Files, &["-o", "--output", "--random-source"], "ni"),
    with_values(
        "sort",
        Files,
        &[
            "-o",
            "--output",
            "--compress-program",
            "-T",
            "--temporary-directory",
            "--files0-from",
            "--random-source",
        ],
        "ktS",
    ),
    with_values(
        "diff",
        Files,
        &[
            "-l",
            "--paginate",
            "-X",
            "--exclude-from",
            "-S",
            "--starting-file",
        ],
        "UCIW",
    ),
    program("tokei", Files, &[]),
    with_values("iconv", Files, &["-o", "--output"], "ft"),
    with_values(
        "fd",
        PatternAndFiles,
        &[
            "-x",
            "-X",
            "--exec",
            "--exec-batch",
            "-l",
            "--list-details",
            "-L",
            "--follow",
            "--ignore-file",
            "-C",
            "--base-directory",
            "--search-path",
        ],
        "edtES",
    ),
    with_values(
        "fdfind",
        PatternAndFiles,
        &[
            "-x",
            "-X",
            "--exec",
            "--exec-batch",
            "-l",
            "--list-details",
            "-L",
            "--follow",
            "--ignore-file",
            "-C",
            "--base-directory",
            "--search-path",
        ],
        "edtES",
    ),
];

/// Programs that tell their version and do nothing else with this option.
pub(super) const TELL_VERSION: &[&str] = &[
    "bash", "clang", "cmake", "curl", "docker", "emacs", "gcc", "g++", "gh", "git", "grep", "java",
    "jq", "ld", "make", "node", "nvim", "openssl", "python", "python3", "rg", "sed", "ssh", "tar",
    "vim", "zsh",
];
