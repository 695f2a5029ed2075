//! Programs that find another one and run it with the arguments that follow: `npx`, `uv run`.
//!
//! They are wrappers like `env`, but what they run is often known to nobody else. A permission for one covers the
//! program that it names.

/// The program, and the words after which what it runs begins.
const RUNNERS: &[(&str, &[&str])] = &[
    ("bundle", &["exec"]),
    ("bunx", &[]),
    ("conda", &["run"]),
    ("direnv", &["exec"]),
    ("hatch", &["run"]),
    ("mise", &["exec"]),
    ("mise", &["x"]),
    ("nix", &["develop"]),
    ("nix", &["shell"]),
    ("nix-shell", &[]),
    ("npm", &["exec"]),
    ("npm", &["x"]),
    ("npx", &[]),
    ("pdm", &["run"]),
    ("pipenv", &["run"]),
    ("pipx", &["run"]),
    ("pnpm", &["dlx"]),
    ("pnpm", &["exec"]),
    ("poetry", &["run"]),
    ("pyenv", &["exec"]),
    ("rbenv", &["exec"]),
    ("rye", &["run"]),
    ("uv", &["run"]),
    ("uv", &["tool", "run"]),
    ("uvx", &[]),
    ("yarn", &["dlx"]),
    ("yarn", &["exec"]),
];

pub(super) fn dangers(name: &str, args: &[&str], add: &mut impl FnMut(&str, String)) {
    for (_, words) in RUNNERS.iter().filter(|(program, _)| *program == name) {
        let Some(run) = args.strip_prefix(*words) else {
            continue;
        };
        // An option may take the next word, so the program behind it is anybody's guess.
        let Some(first) = run.first() else {
            continue;
        };
        let whole = args.join(" ");
        let token = match first.starts_with('-') {
            true => whole.as_str(),
            false => first,
        };
        add(
            token,
            format!("`{name} {}` runs `{token}`", words.join(" ")),
        );
    }
}
