//! Which calls of git only read.

use super::Danger;

/// Options of git's own that change which programs it runs or which repository it means.
const POWERFUL_BEFORE: &[&str] = &[
    "--config-env",
    "--exec-path",
    "--paginate",
    "--git-dir",
    "--work-tree",
    "--namespace",
];

/// Options of its commands that write or run something.
const POWERFUL: &[&str] = &[
    "--output",
    "--exec",
    "--ext-diff",
    "--textconv",
    "--paginate",
    "--open-files-in-pager",
    "--upload-pack",
    "--receive-pack",
    "--template",
];

/// What makes the call one that should be asked about.
pub(super) fn danger(args: &[&str]) -> Option<Danger> {
    let (before, command, after) = parts(args);
    for option in before {
        if option.starts_with("-c")
            || *option == "-p"
            || POWERFUL_BEFORE.iter().any(|name| is_named(option, name))
        {
            let token = option.split('=').next().unwrap_or(option);
            return named(
                token,
                format!("`git {option}` can make git run other programs"),
            );
        }
    }
    let command = command?;
    if let Some(found) = after.iter().find(|arg| is_short_danger(command, arg)) {
        return named(found, format!("`git … {found}` writes or runs something"));
    }
    match command {
        "branch" if !lists_branches(after) => {
            named("branch", "`git branch` changes branches".to_owned())
        }
        "clean" if !after.iter().any(|arg| *arg == "-n" || *arg == "--dry-run") => named(
            "clean",
            "`git clean` deletes files that git does not know".to_owned(),
        ),
        "reset" => {
            let hard = after.iter().find(|arg| is_shortened(arg, "--hard"))?;
            named(hard, "`git reset --hard` throws changes away".to_owned())
        }
        "push" => {
            let force = after.iter().find(|arg| {
                arg.starts_with("--force") || is_flag(arg, 'f') || arg.starts_with('+')
            })?;
            named(
                force,
                "`git push --force` replaces what others see".to_owned(),
            )
        }
        "credential" | "maintenance" | "send-email" | "gui" => named(
            command,
            format!("`git {command}` prints passwords or runs other programs"),
        ),
        _ => {
            let mut options = after.iter().take_while(|arg| **arg != "--");
            let found = options.find(|arg| POWERFUL.iter().any(|name| is_shortened(arg, name)))?;
            let token = found.split('=').next().unwrap_or(found);
            named(token, format!("`git … {found}` writes or runs something"))
        }
    }
}

fn named(token: &str, reason: String) -> Option<Danger> {
    Some(Danger {
        reason,
        token: Some(token.to_owned()),
    })
}

pub(super) fn is_safe(args: &[&str], is_harmless: impl Fn(&str) -> bool) -> bool {
    let (before, command, after) = parts(args);
    if before
        .iter()
        .any(|option| *option != "--no-pager" && *option != "--no-optional-locks")
    {
        return false;
    }
    // It is shown by `man`.
    if after.contains(&"--help") {
        return false;
    }
    match command {
        Some(
            "status" | "log" | "diff" | "show" | "blame" | "annotate" | "ls-files" | "ls-tree"
            | "rev-parse" | "rev-list" | "describe" | "shortlog" | "cat-file" | "merge-base"
            | "name-rev" | "whatchanged" | "diff-tree" | "for-each-ref" | "show-ref"
            | "count-objects" | "check-ignore" | "check-attr" | "grep" | "version" | "cherry"
            | "range-diff" | "show-branch",
        ) => {
            let is_powerful = |arg: &str| {
                POWERFUL.iter().any(|name| is_shortened(arg, name))
                    || is_shortened(arg, "--filters")
                    || is_shortened(arg, "--stdin")
                    || is_shortened(arg, "--show-signature")
                    || arg.contains("%G")
                    || arg == "-O"
                    || command == Some("grep")
                        && (arg.starts_with("-f")
                            || is_shortened(arg, "--untracked")
                            || is_shortened(arg, "--no-exclude-standard"))
            };
            !after.iter().any(|arg| is_powerful(arg))
                && after.iter().all(|arg| is_plain(arg, &is_harmless))
        }
        Some("branch") => lists_branches(after),
        Some("tag") => {
            let lists = after
                .iter()
                .any(|arg| matches!(*arg, "-l" | "--list") || arg.starts_with("-n"));
            after.is_empty()
                || lists
                    && after.iter().all(|arg| {
                        matches!(*arg, "-l" | "--list" | "-n" | "-n1")
                            || arg.starts_with("--sort=")
                            || !arg.starts_with('-')
                    })
        }
        Some("stash") => {
            matches!(after, ["list" | "show", rest @ ..] if rest.iter().all(|arg| is_plain(arg, &is_harmless)
                && !POWERFUL.iter().any(|name| is_shortened(arg, name))))
        }
        Some("remote") => matches!(after, [] | ["-v"] | ["get-url", _] | ["show"]),
        Some("worktree") => matches!(after, ["list"] | ["list", "--porcelain"]),
        Some("reflog") => match after {
            [] => true,
            ["show", rest @ ..] => rest.iter().all(|arg| is_plain(arg, &is_harmless)),
            [one] => {
                is_plain(one, &is_harmless)
                    && !matches!(*one, "expire" | "delete" | "drop" | "write")
            }
            _ => false,
        },
        Some("symbolic-ref") => matches!(after, ["HEAD"] | ["--short", "HEAD"] | ["-q", "HEAD"]),
        Some("config") => matches!(
            after,
            ["--get", key] if ["user.name", "user.email", "core.", "branch.", "init.", "pull.", "push."]
                .iter()
                .any(|known| key.starts_with(known))
        ),
        _ => false,
    }
}

fn is_plain(arg: &str, is_harmless: impl Fn(&str) -> bool) -> bool {
    if arg.starts_with("--") {
        let value = arg.split_once('=').map(|(_, value)| value);
        return !is_shortened(arg, "--no-index")
            && !is_shortened(arg, "--orderfile")
            && !is_shortened(arg, "--pathspec-from-file")
            && !is_shortened(arg, "--contents")
            && value.is_none_or(|value| !value.starts_with(['/', '~']));
    }
    if arg.starts_with('-') {
        return !arg.starts_with("-O");
    }
    // `main..topic` and `HEAD:src/a.rs` are no paths, but git compares any two files that it is given.
    let path = arg.rsplit(':').next().unwrap_or(arg);
    let is_revision =
        !path.starts_with(['/', '~', '.']) && !path.split('/').any(|part| part == "..");
    if is_revision {
        is_harmless(path) || path.is_empty()
    } else {
        is_harmless(path) && path == arg
    }
}

/// The options before the command, the command, and what comes after.
fn parts<'a>(args: &'a [&'a str]) -> (&'a [&'a str], Option<&'a str>, &'a [&'a str]) {
    let mut at = 0;
    while let Some(arg) = args.get(at).filter(|arg| arg.starts_with('-')) {
        at += if matches!(
            *arg,
            "-c" | "-C" | "--git-dir" | "--work-tree" | "--namespace" | "--config-env"
        ) {
            2
        } else {
            1
        };
    }
    let at = at.min(args.len());
    let (before, rest) = args.split_at_checked(at).unwrap_or_default();
    match rest.split_first() {
        Some((command, after)) => (before, Some(*command), after),
        None => (before, None, &[]),
    }
}

fn lists_branches(args: &[&str]) -> bool {
    let lists = args.iter().any(|arg| matches!(*arg, "--list" | "-l"));
    args.iter().all(|arg| match *arg {
        "-a" | "-r" | "-v" | "-vv" | "-av" | "-avv" | "-rv" | "-l" | "--list" | "--all"
        | "--remotes" | "--verbose" | "--show-current" | "--no-color" | "--no-column"
        | "--ignore-case" => true,
        option
            if option.starts_with("--sort=")
                || option.starts_with("--format=")
                || option.starts_with("--contains=") =>
        {
            true
        }
        option
            if option.starts_with("--merged=")
                || option.starts_with("--no-merged=")
                || option.starts_with("--color=") =>
        {
            true
        }
        pattern => lists && !pattern.starts_with('-'),
    })
}

fn is_named(option: &str, name: &str) -> bool {
    option.split('=').next() == Some(name)
}

/// git takes the beginning of a long option for the whole.
fn is_shortened(option: &str, name: &str) -> bool {
    let given = option.split('=').next().unwrap_or(option);
    given.len() > 3 && (name.starts_with(given) || given.starts_with(name)) || given == name
}

/// Options of one letter that name a program or a file to write.
fn is_short_danger(command: &str, arg: &str) -> bool {
    match command {
        "clone" => arg.starts_with("-u"),
        "archive" | "format-patch" => arg.starts_with("-o"),
        _ => false,
    }
}

fn is_flag(arg: &str, letter: char) -> bool {
    arg.starts_with('-') && !arg.starts_with("--") && arg.contains(letter)
}
