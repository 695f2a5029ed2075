//! What scripts are made of: programs with their options, and words that have led somewhere before.

const TABLE: &str = include_str!("programs.tsv");

/// A program, its options with what they take, and what its operands are.
pub(super) struct Program {
    pub(super) name: &'static str,
    pub(super) options: Vec<String>,
    /// Words that come before the files.
    pub(super) first: Vec<String>,
    pub(super) takes_files: bool,
}

pub(super) fn programs() -> Vec<Program> {
    let lines = TABLE.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let columns: Vec<&'static str> = line.split('\t').collect();
            Program {
                name: columns[0],
                takes_files: columns[1] == "files",
                options: words(columns[2]),
                first: words(columns[3]),
            }
        })
        .collect()
}

fn words(column: &str) -> Vec<String> {
    let words = column.split(" ¦ ").filter(|word| !word.is_empty());
    words
        .map(|word| word.replace('∅', "").replace('␤', "\n"))
        .collect()
}

/// Files, most of them harmless.
pub(super) const FILES: &[&str] = &[
    "a.txt",
    "a.txt",
    "b.txt",
    "names.txt",
    "src/lib.rs",
    "src/main.rs",
    "README.md",
    "src",
    ".",
    "data/users.csv",
    "data/events.json",
    "*.txt",
    "src/*.rs",
    "'a.txt'",
    "\"b.txt\"",
    "./a.txt",
    "\"$f\"",
    "$f",
    "docs",
    "-",
    ".env",
    "../outside/notes.txt",
    "link-out/notes.txt",
    "secret-link",
    "keys.pem",
    "~/.ssh/id_rsa",
    "/etc/hostname",
    "$HOME/.ssh/id_rsa",
    "list",
    "<(ls)",
    "<(cat a.txt)",
    ">(cat)",
    "/dev/null",
    "/dev/stdin",
    "/proc/self/environ",
    "/dev/tcp/127.0.0.1/9",
    "$x",
    "{a,b}.txt",
    "src/../a.txt",
    "src/../../outside/notes.txt",
    "*",
    ".*",
    "?.txt",
    "nothing",
    "-rf",
    "-o",
    "app.bin",
    "a.tx[t]",
    "$(echo a.txt)",
    "docs/bare/config",
    ".git/config",
    "out.txt",
    "\"../outside/notes.txt\"",
    "$'.en\\x76'",
    ".e\\nv",
    "~+/a.txt",
    "~-",
    "{.,src}/a.txt",
    "logs/app.log",
];

/// Names that variables get. Some of them mean something to bash.
pub(super) const NAMES: &[&str] = &[
    "x",
    "x",
    "x",
    "f",
    "f",
    "i",
    "n",
    "line",
    "file",
    "count",
    "y",
    "token",
    "password",
    "_",
    "RANDOM",
    "SECONDS",
    "PATH",
    "IFS",
    "HISTFILE",
    "HISTFILESIZE",
    "HISTCMD",
    "BASH_ENV",
    "ENV",
    "PS4",
    "OPTIND",
    "LINENO",
    "UID",
    "HOME",
    "CDPATH",
    "GLOBIGNORE",
    "TMOUT",
    "PWD",
    "LC_ALL",
    "PROMPT_COMMAND",
    "BASH_ARGV0",
    "EPOCHSECONDS",
    "REPLY",
    "FOO",
    "LANG",
    "BASH_CMDS",
    "OLDPWD",
    "histchars",
    "auto_resume",
];

/// Values that variables and loops get.
pub(super) const VALUES: &[&str] = &[
    "1",
    "1",
    "2 3",
    "a",
    "a.txt",
    "a.txt b.txt",
    "src/*.rs",
    "'a b'",
    "'a[$(id >&2)]'",
    "'$(id)'",
    "../outside/notes.txt",
    ".env",
    "$(ls)",
    "$(seq 3)",
    "$((1+1))",
    "$((x+1))",
    "$x",
    "\"$x\"",
    "-rf",
    "-e",
    "'1e id'",
    "--output=out.txt",
    "important.txt",
    "/dev/tcp/127.0.0.1/9",
    "bin",
    "$token",
    "\"$token\"",
    "{1..3}",
    "'; id'",
    "'*'",
    "$f",
    "id",
    "'x'",
    "x",
    "~",
    "'-o out.txt'",
    "$(cat list)",
    "\"$(head -n1 list)\"",
    "`ls`",
    "0",
    "'2 > out.txt'",
];

/// What stands behind a command.
pub(super) const REDIRECTIONS: &[&str] = &[
    "2>&1",
    "2>/dev/null",
    ">/dev/null",
    "< a.txt",
    "< list",
    "> out.txt",
    ">> out.txt",
    "&> out.txt",
    "<<< hello",
    "<<< \"$x\"",
    "<<< $token",
    "<<< $((x))",
    "< .env",
    "< /dev/tcp/127.0.0.1/9",
    "> /dev/tcp/127.0.0.1/9",
    "3< a.txt",
    "<> out.txt",
    ">| out.txt",
    "2>&3",
    "< \"$f\"",
    "> /dev/stderr",
    ">&2",
    "< <(ls)",
    "> >(cat)",
    "{x}> out.txt",
    "< secret-link",
    "< ../outside/notes.txt",
    "<<< 'a[$(id)]'",
    "0<&-",
    "< src/lib.rs",
    "< /dev/stdin",
    ">& out.txt",
];

/// Characters and fragments that change how the rest is read.
pub(super) const FRAGMENTS: &[&str] = &[
    "'", "\"", "\\", "\\\n", "`", "$(", ")", "$((", "))", "${", "}", "{", ";", "&", "&&", "|",
    "||", "\n", "#", "!", "*", "?", "[", "]", "~", "<", ">", "<(", ">(", "<<E\n", "\nE\n", "<<<",
    "=", "+=", " ", "\t", "$x", "$'", "\\x41", "$\"", "(", ";;", "2>", "-", "--", "-o ", "$", "@",
    "%", "^", ",", "..", "1", "id", " id ", ";id;", "|id", "$(id)", "`id`", "\n id\n", "&id",
    "=id", "\r", "\u{a0}", "é",
];
