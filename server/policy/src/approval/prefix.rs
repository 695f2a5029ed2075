//! Which beginning of a command an approval is about.

use crate::rule::condition::text_of;
use crate::shell::{self, Command, Place, Safety, Script, Word};
use crate::{Decision, PartVerdict};

/// Programs whose first word after the name says what they do.
const WITH_SUBCOMMANDS: &[&str] = &[
    "apt",
    "brew",
    "bun",
    "bundle",
    "cargo",
    "composer",
    "deno",
    "docker",
    "dotnet",
    "gh",
    "git",
    "go",
    "gradle",
    "just",
    "kubectl",
    "make",
    "mvn",
    "npm",
    "pip",
    "pip3",
    "pnpm",
    "podman",
    "poetry",
    "rustup",
    "systemctl",
    "task",
    "terraform",
    "uv",
    "yarn",
    "zig",
];

/// Words after which the next one still says what is done: `npm run build`.
const CONTINUING: &[&str] = &["run", "compose", "exec", "tool"];

/// Programs that do whatever their arguments say; only the command as it is can be approved.
const INTERPRETERS: &[&str] = &[
    ".",
    "awk",
    "bash",
    "cmd",
    "cmd.exe",
    "dash",
    "deno",
    "doas",
    "env",
    "eval",
    "exec",
    "fish",
    "node",
    "npx",
    "osascript",
    "perl",
    "php",
    "powershell",
    "pwsh",
    "python",
    "python3",
    "ruby",
    "sh",
    "source",
    "ssh",
    "su",
    "sudo",
    "xargs",
    "zsh",
];

/// The distinct programs of a command, in the order of the text.
pub(super) fn roots(script: &Script) -> Option<Vec<String>> {
    let mut roots: Vec<String> = Vec::new();
    for command in &script.commands {
        let Some(Word::Literal(root)) = command.words.first() else {
            return None;
        };
        if !roots.contains(root) {
            roots.push(root.clone());
        }
    }
    (!roots.is_empty()).then_some(roots)
}

/// Whether approving the programs by name would not open everything.
pub(super) fn roots_are_harmless(script: &Script, place: &Place<'_>) -> bool {
    script.commands.iter().all(|command| {
        is_plain(command)
            && !is_interpreter(command)
            && !matches!(shell::classify(command, place), Safety::Dangerous { .. })
    })
}

/// As little as answers the question: only the parts that are asked about, each with what says what it does.
pub(super) fn narrow(script: &Script, parts: &[PartVerdict], place: &Place<'_>) -> Vec<String> {
    let mut prefixes: Vec<String> = Vec::new();
    for (command, part) in script.commands.iter().zip(parts) {
        // Everything is allowed already where only a redirection is asked about.
        let asked = part.decision == Decision::Ask
            || parts.iter().all(|part| part.decision == Decision::Allow);
        if asked {
            let prefix = narrow_prefix(command, place);
            if !prefixes.contains(&prefix) {
                prefixes.push(prefix);
            }
        }
    }
    prefixes
}

pub(super) fn label(prefixes: &[String]) -> String {
    let quoted: Vec<String> = prefixes
        .iter()
        .map(|prefix| format!("`{prefix} …`"))
        .collect();
    quoted.join(", ")
}

fn narrow_prefix(command: &Command, place: &Place<'_>) -> String {
    let dangerous = matches!(shell::classify(command, place), Safety::Dangerous { .. });
    if !is_plain(command) {
        let wrappers = command.wrappers.join(" ");
        return format!("{wrappers} {}", command.text).trim().to_owned();
    }
    if let Some(edits) = edits_in_place(command) {
        return edits;
    }
    if dangerous || is_interpreter(command) {
        return command.text.clone();
    }
    let mut words = command.words.iter().map_while(|word| match word {
        Word::Literal(word) => Some(word.as_str()),
        Word::Dynamic(_) => None,
    });
    let Some(root) = words.next() else {
        return command.text.clone();
    };
    let mut prefix = root.to_owned();
    if WITH_SUBCOMMANDS.contains(&root) {
        for word in words.take_while(|word| is_subcommand(word)) {
            prefix.push(' ');
            prefix.push_str(word);
            if !CONTINUING.contains(&word) {
                break;
            }
        }
    }
    prefix
}

/// `sed -i`: whoever approves it means edits, whatever the script of the next one is.
fn edits_in_place(command: &Command) -> Option<String> {
    let [Word::Literal(program), Word::Literal(option), ..] = command.words.as_slice() else {
        return None;
    };
    let dangers = shell::dangers(command);
    let is_only_danger = dangers
        .iter()
        .all(|danger| danger.token.as_deref() == Some(option.as_str()));
    (program == "sed" && !dangers.is_empty() && is_only_danger && option.starts_with("-i"))
        .then(|| format!("{program} {option}"))
}

fn is_subcommand(word: &str) -> bool {
    !word.is_empty()
        && !word.starts_with('-')
        && word
            .chars()
            .all(|character| character.is_alphanumeric() || "-_:.".contains(character))
}

fn is_plain(command: &Command) -> bool {
    command.assignments.is_empty() && command.wrappers.is_empty()
}

fn is_interpreter(command: &Command) -> bool {
    command.words.first().is_none_or(|word| {
        let name = crate::rule::condition::program_name(text_of(word));
        INTERPRETERS.contains(&name)
    })
}
