//! Options with which everyday programs run other programs or write files.

mod runners;

use super::Danger;

struct Dangerous {
    programs: &'static [&'static str],
    /// Letters, alone or in a cluster.
    short: &'static str,
    /// Long options, which may be shortened.
    long: &'static [&'static str],
    /// Words with this beginning, whatever they are.
    begins: &'static [&'static str],
}

const fn options(
    programs: &'static [&'static str],
    short: &'static str,
    long: &'static [&'static str],
    begins: &'static [&'static str],
) -> Dangerous {
    Dangerous {
        programs,
        short,
        long,
        begins,
    }
}

const DANGEROUS: &[Dangerous] = &[
    options(
        &["sort", "gsort"],
        "o",
        &["compress-program", "output"],
        &[],
    ),
    options(
        &["tar", "gtar", "bsdtar"],
        "IF",
        &[
            "checkpoint-action",
            "to-command",
            "use-compress-program",
            "info-script",
            "new-volume-script",
            "rsh-command",
            "rmt-command",
        ],
        &[],
    ),
    options(
        &["make", "gmake", "remake"],
        "EfI",
        &["eval", "file", "makefile", "include-dir"],
        &[],
    ),
    options(
        &["npm", "pnpm", "yarn"],
        "",
        &[
            "script-shell",
            "shell",
            "node-options",
            "userconfig",
            "editor",
            "viewer",
        ],
        &["--globalconfig", "--git="],
    ),
    options(&["cargo"], "", &["config"], &[]),
    options(&["rustc", "rustdoc"], "C", &["codegen"], &["-Zlinker"]),
    options(&["gradle", "gradlew"], "", &[], &["--init-script", "-I"]),
    options(
        &["apt", "apt-get", "apt-cache", "aptitude"],
        "oc",
        &["option", "config-file"],
        &[],
    ),
    options(
        &[
            "nm",
            "ar",
            "ranlib",
            "objdump",
            "ld",
            "gold",
            "size",
            "readelf",
            "strings",
            "addr2line",
        ],
        "",
        &["plugin"],
        &["-plugin", "@"],
    ),
    options(
        &["openssl"],
        "",
        &[],
        &["-out", "-engine", "-provider", "-writerand"],
    ),
    options(&["zip"], "T", &["unzip-command"], &["-TT"]),
    options(
        &["rsync"],
        "eM",
        &[
            "rsh",
            "rsync-path",
            "remote-option",
            "log-file",
            "write-batch",
        ],
        &[],
    ),
    options(&["scp", "sftp"], "SoF", &[], &[]),
    options(&["ssh"], "oFE", &[], &[]),
    options(&["man"], "PHC", &["pager", "html", "config-file"], &[]),
    options(&["less", "more"], "oO", &["log-file", "LOG-FILE"], &["+!"]),
    options(
        &["vim", "vi", "nvim", "ex", "view"],
        "csS",
        &["cmd"],
        &["+"],
    ),
    options(
        &["curl"],
        "KoOcD",
        &[
            "config",
            "output",
            "remote-name",
            "output-dir",
            "cookie-jar",
            "dump-header",
            "trace",
            "stderr",
            "etag-save",
            "libcurl",
            "upload-file",
        ],
        &["-T"],
    ),
    options(
        &["wget"],
        "OP",
        &[
            "use-askpass",
            "output-document",
            "directory-prefix",
            "execute",
            "output-file",
            "append-output",
            "save-cookies",
            "post-file",
            "body-file",
        ],
        &["-e"],
    ),
    options(
        &["gcc", "g++", "cc", "c++", "clang", "clang++"],
        "B",
        &[],
        &[
            "-fplugin",
            "-wrapper",
            "-specs",
            "--specs",
            "--ld-path",
            "-fuse-ld",
            "-Xclang",
            "@",
        ],
    ),
    options(&["fd", "fdfind"], "xX", &["exec", "exec-batch"], &[]),
    options(&["jq", "yq"], "i", &["inplace", "in-place"], &[]),
    options(&["gdb"], "x", &["eval-command", "command", "ex"], &["-ex"]),
    options(&["date"], "s", &["set"], &[]),
    options(&["tree", "shuf", "iconv"], "o", &["output"], &[]),
    options(&["file"], "C", &["compile"], &[]),
    options(&["xxd"], "r", &["revert"], &[]),
];

/// Words of `go`, `cargo` and others whose value is a program.
const VALUES: &[(&str, &[&str])] = &[(
    "go",
    &[
        "-exec",
        "--exec",
        "-toolexec",
        "--toolexec",
        "-vettool",
        "--vettool",
        "-overlay",
        "--overlay",
        "-o",
    ],
)];

/// Whether a program has options that write or run something.
pub(super) fn has_any(name: &str) -> bool {
    DANGEROUS.iter().any(|one| one.programs.contains(&name))
        || VALUES.iter().any(|(program, _)| *program == name)
        || matches!(
            name,
            "sed"
                | "gsed"
                | "awk"
                | "gawk"
                | "mawk"
                | "nawk"
                | "git"
                | "rg"
                | "find"
                | "gfind"
                | "base64"
                | "uniq"
        )
}

pub(super) fn dangers(name: &str, args: &[&str]) -> Vec<Danger> {
    let mut found: Vec<Danger> = Vec::new();
    let mut add = |token: &str, reason: String| {
        found.push(Danger {
            reason,
            token: Some(token.to_owned()),
        });
    };
    for one in DANGEROUS.iter().filter(|one| one.programs.contains(&name)) {
        for arg in args.iter().take_while(|arg| **arg != "--") {
            let token = match arg.strip_prefix("--") {
                Some(long) => {
                    let long = long.split('=').next().unwrap_or(long);
                    let is_one =
                        !long.is_empty() && one.long.iter().any(|name| name.starts_with(long));
                    is_one.then(|| arg.split('=').next().unwrap_or(arg))
                }
                None if arg.starts_with('-') => arg
                    .get(1..)
                    .is_some_and(|letters| letters.contains(|c| one.short.contains(c)))
                    .then_some(*arg),
                None => None,
            };
            let token = token.or_else(|| {
                let beginning = one.begins.iter().find(|begin| arg.starts_with(**begin));
                beginning.map(|_| *arg)
            });
            if let Some(token) = token {
                add(token, format!("`{name} {token}` writes or runs something"));
            }
        }
        // The old style of tar: letters without a dash.
        if let Some(letters) = args.first().filter(|_| name.ends_with("tar"))
            && !letters.starts_with('-')
            && letters.contains(['I', 'F'])
        {
            add(letters, format!("`{name} {letters}` runs a program"));
        }
        // A name with a colon lies on another machine, which tar asks a shell for.
        for arg in args.iter().filter(|_| name.ends_with("tar")) {
            let is_remote = arg
                .split_once(':')
                .is_some_and(|(host, _)| !host.contains('/') && !host.starts_with('-'));
            if is_remote {
                add(arg, format!("`{arg}` lies on another machine"));
            }
        }
    }
    for (_, options) in VALUES.iter().filter(|(program, _)| *program == name) {
        for arg in args {
            let option = arg.split('=').next().unwrap_or(arg);
            if options.contains(&option) {
                add(option, format!("`{name} {option}` runs another program"));
            }
        }
    }
    match name {
        "sed" | "gsed" => sed(args, &mut add),
        "awk" | "gawk" | "mawk" | "nawk" => awk(name, args, &mut add),
        "make" | "gmake" | "remake" => make(args, &mut add),
        "uniq" => second_operand(name, args, &["-f", "-s", "-w"], &mut add),
        "xxd" => second_operand(name, args, &["-s", "-l", "-c", "-g", "-o"], &mut add),
        "go" => {
            for arg in args.iter().filter(|arg| arg.contains("extld")) {
                add(arg, format!("`go {arg}` runs another program"));
            }
        }
        "sqlite3" | "psql" | "mysql" | "mariadb" => database(name, args, &mut add),
        _ => runners::dangers(name, args, &mut add),
    }
    found
}

/// A second file is one to write.
fn second_operand(name: &str, args: &[&str], valued: &[&str], add: &mut impl FnMut(&str, String)) {
    let mut before = "";
    let operands = args.iter().filter(|arg| {
        let is_value = valued.contains(&before);
        before = arg;
        !is_value && !arg.starts_with('-')
    });
    if let Some(file) = operands.collect::<Vec<_>>().get(1) {
        add(file, format!("`{name}` writes `{file}`"));
    }
}

/// Values that make evaluates, and names of the programs that it runs.
fn make(args: &[&str], add: &mut impl FnMut(&str, String)) {
    const PROGRAMS: &[&str] = &[
        "SHELL",
        ".SHELLFLAGS",
        "MAKE",
        "MAKEFLAGS",
        "GNUMAKEFLAGS",
        "MAKEFILES",
        "AR",
        "AS",
        "CC",
        "CPP",
        "CXX",
        "FC",
        "LD",
        "LEX",
        "RM",
        "YACC",
    ];
    for arg in args {
        let Some((name, value)) = arg.split_once('=') else {
            continue;
        };
        let plain = name.trim_end_matches([':', '+', '?', '!']);
        if PROGRAMS.contains(&plain) || name.ends_with('!') || value.contains(['$', '`']) {
            add(arg, format!("`make {arg}` can run another program"));
        }
    }
}

/// Commands of the shells of databases that run programs and write files.
fn database(name: &str, args: &[&str], add: &mut impl FnMut(&str, String)) {
    const COMMANDS: &[&str] = &[
        ".shell",
        ".system",
        ".output",
        ".once",
        ".excel",
        ".import",
        ".load",
        ".save",
        ".backup",
        ".clone",
        ".log",
        ".read",
        "load_extension",
        "writefile",
        "edit(",
        "\\!",
        "\\o",
        "\\w",
        "\\i",
        "\\copy",
        " program ",
        "outfile",
        "dumpfile",
        "system ",
    ];
    for arg in args {
        let lower = arg.to_ascii_lowercase();
        if COMMANDS.iter().any(|command| lower.contains(command)) {
            add(arg, format!("`{name}` may write or run something: `{arg}`"));
        }
    }
}

fn sed(args: &[&str], add: &mut impl FnMut(&str, String)) {
    for arg in args.iter().take_while(|arg| **arg != "--") {
        let is_in_place = match arg.strip_prefix("--") {
            Some(long) => long.starts_with("in"),
            None => arg.strip_prefix('-').is_some_and(|letters| {
                letters
                    .split(['e', 'f', 'l'])
                    .next()
                    .is_some_and(|letters| letters.contains('i'))
            }),
        };
        if is_in_place {
            add(arg, format!("`sed {arg}` writes its files"));
        }
    }
    let mut script_is_given = false;
    let mut args = args.iter().copied().peekable();
    let mut scripts = Vec::new();
    while let Some(arg) = args.next() {
        match arg {
            "-e" | "--expression" => {
                script_is_given = true;
                scripts.extend(args.next());
            }
            "-f" | "--file" => {
                script_is_given = true;
                add(arg, "`sed` reads its script from a file".to_owned());
                args.next();
            }
            _ if arg.starts_with("--expression=") || arg.starts_with("-e") => {
                script_is_given = true;
                scripts.push(
                    arg.trim_start_matches("--expression=")
                        .trim_start_matches("-e"),
                );
            }
            _ if arg.starts_with("-f") || arg.starts_with("--f") => {
                script_is_given = true;
                add(arg, "`sed` reads its script from a file".to_owned());
            }
            "--" => {}
            // `-ne SCRIPT`
            _ if arg.starts_with('-') && !arg.starts_with("--") && arg.ends_with('e') => {
                script_is_given = true;
                scripts.extend(args.next());
            }
            _ if arg.starts_with('-') => {}
            _ if !script_is_given => {
                script_is_given = true;
                scripts.push(arg);
            }
            _ => {}
        }
    }
    for script in scripts {
        // What replaces is free text; what else is in a script must be known to write and run nothing.
        if !super::scripts::sed_prints(script) {
            add(
                script,
                format!("the script `{script}` of `sed` may write or run something"),
            );
        }
    }
}

fn awk(name: &str, args: &[&str], add: &mut impl FnMut(&str, String)) {
    for arg in args {
        if arg.starts_with("-f")
            || arg.starts_with("--f")
            || arg.starts_with("-i")
            || arg.starts_with("-l")
            || arg.starts_with("--i")
            || arg.starts_with("--l")
            || arg.starts_with("-E")
            || arg.starts_with("--e")
        {
            add(arg, format!("`{name} {arg}` loads a program"));
        } else if !super::scripts::awk_prints(arg) {
            add(
                arg,
                format!("the program `{arg}` of `{name}` may write or run something"),
            );
        }
    }
}
