//! Where a command writes, beside what its programs do.

use std::path::Path;

use super::super::guard;
use super::super::judge::{guard_paths, guard_verdict, is_about, stricter};
use super::Judging;
use crate::paths::Target;
use crate::rule::Redirecting;
use crate::shell::{self, Direction, Redirection, Safety, Script, Word};
use crate::{ApprovalMode, Decision, Rule, Verdict};

/// Files that take everything and keep nothing, or are the terminal itself.
const NOWHERE: &[&str] = &["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "NUL"];

pub(super) fn judge(
    verdict: Verdict,
    script: &Script,
    allowing: &[&Rule],
    judging: &Judging<'_, '_>,
) -> Verdict {
    let verdict = downgrade(verdict, script, allowing, judging);
    let (mut written, unknown) = written(script, judging);
    written.extend(working_folders(script, judging));
    let verdict = match &unknown.lost {
        Some(path) => ask_for_unknown_folder(verdict, path, judging),
        None => verdict,
    };
    let verdict = guard_paths(verdict, &written, allowing, judging.context);
    guard_unknown(verdict, &unknown.texts, allowing, judging)
}

/// Targets that are only known when the command runs.
#[derive(Default)]
pub(super) struct UnknownTargets {
    texts: Vec<String>,
    /// One whose folder is not known either.
    lost: Option<String>,
}

/// The files that a script writes, as far as its text shows, and what is not known of the others.
pub(super) fn written(script: &Script, judging: &Judging<'_, '_>) -> (Vec<Target>, UnknownTargets) {
    let mut written = Vec::new();
    let mut unknown = UnknownTargets::default();
    for shell::Written { word, folder } in shell::writes(script) {
        let text = word.text();
        if NOWHERE.contains(&text) {
            continue;
        }
        let Some(folders) = judging.folders(&folder) else {
            let is_lost = !text.starts_with('/');
            unknown.lost = unknown.lost.or(is_lost.then(|| text.to_owned()));
            unknown.texts.push(text.to_owned());
            continue;
        };
        let texts = match &word {
            Word::Literal(path) => vec![path.clone()],
            Word::Dynamic(text) => shell::possible(text, &script.expansions.set),
        };
        for folder in folders {
            for text in &texts {
                if word.literal().is_some() || !text.contains(['$', '`', '*', '?', '[', '~']) {
                    written.push(Target::of(text, &folder, judging.context));
                } else {
                    let below = Target::below_roots(&folder, judging.context);
                    unknown
                        .texts
                        .push(below.join(text).to_string_lossy().into_owned());
                }
            }
        }
    }
    (written, unknown)
}

/// The folders that commands work in after a `cd`, unless they only read there: which files they write is not known.
fn working_folders(script: &Script, judging: &Judging<'_, '_>) -> Vec<Target> {
    let place = judging.place();
    let start = judging.context.cwd;
    let mut found = Vec::new();
    for command in &script.commands {
        let only_moves = matches!(command.program(), Some("cd" | "pushd" | "popd") | None);
        if only_moves || shell::classify_alone(command, &place) == Safety::KnownSafe {
            continue;
        }
        let folders = judging.folders(&command.folder).unwrap_or_default();
        let elsewhere = folders.iter().filter(|folder| folder.as_path() != start);
        found.extend(elsewhere.map(|folder| Target::of(".", folder, judging.context)));
    }
    found
}

/// Where the folder is only known when the command runs, any file of it may be a guarded one.
fn ask_for_unknown_folder(verdict: Verdict, path: &str, judging: &Judging<'_, '_>) -> Verdict {
    let question = judging.asked.presence.question();
    if verdict.decision >= question {
        return verdict;
    }
    let reason = format!("the folder of `{path}` is only known when the command runs");
    stricter(verdict, question, reason)
}

/// A permission for a program is none for the files that the shell opens for it.
fn downgrade(
    verdict: Verdict,
    script: &Script,
    allowing: &[&Rule],
    judging: &Judging<'_, '_>,
) -> Verdict {
    let permitted = !allowing.is_empty()
        && allowing
            .iter()
            .all(|rule| rule.redirection == Redirecting::Allowed);
    let yolo = judging.asked.mode == ApprovalMode::Yolo;
    if verdict.decision != Decision::Allow || yolo {
        return verdict;
    }
    let place = judging.place();
    for redirection in &script.redirections {
        if let Safety::Dangerous { reason } = shell::classify_redirection(redirection, &place) {
            return stricter(verdict, Decision::Ask, reason);
        }
    }
    if permitted {
        return verdict;
    }
    let mut to_files = script.redirections.iter().filter(|one| is_of_a_file(one));
    // What is read is judged as `cat` of the same file would be.
    let is_plain_read = |one: &Redirection| {
        one.direction == Direction::In
            && shell::classify_redirection(one, &place) == Safety::KnownSafe
    };
    let objection = match judging.asked.mode {
        ApprovalMode::Yolo => None,
        // Edits need no question in this mode, but those are edits in the workspace.
        ApprovalMode::AutoEdit => {
            to_files.find(|one| !is_plain_read(one) && leads_out(one, judging))
        }
        ApprovalMode::Plan | ApprovalMode::Default => to_files.find(|one| !is_plain_read(one)),
    };
    match objection {
        Some(redirection) => {
            let reason = format!("`{}` is not part of what is allowed", redirection.text);
            stricter(verdict, Decision::Ask, reason)
        }
        None => verdict,
    }
}

/// Whether the shell opens a file to write it.
pub(super) fn writes_a_file(script: &Script) -> bool {
    let mut redirections = script.redirections.iter();
    redirections.any(|one| one.direction == Direction::Out && is_of_a_file(one))
}

fn is_of_a_file(redirection: &Redirection) -> bool {
    match &redirection.target {
        None => false,
        Some(Word::Literal(path)) => !NOWHERE.contains(&path.as_str()),
        Some(Word::Dynamic(_)) => true,
    }
}

/// Whether it is more than an edit of an ordinary file in the workspace.
fn leads_out(redirection: &Redirection, judging: &Judging<'_, '_>) -> bool {
    let (Some(Word::Literal(path)), Direction::Out) = (&redirection.target, redirection.direction)
    else {
        return redirection.target.is_some();
    };
    let Some(folders) = judging.folders(&redirection.folder) else {
        return true;
    };
    folders.iter().any(|folder| {
        let target = Target::of(path, folder, judging.context);
        !target.is_inside(judging.context) || target.forms().any(is_blocked)
    })
}

/// Files that no tool edits without a question in this mode.
fn is_blocked(path: &Path) -> bool {
    path.components().any(|component| {
        let name = component.as_os_str().to_string_lossy().to_ascii_lowercase();
        matches!(name.as_str(), ".env" | "node_modules")
            || name.starts_with(".env.")
            || name.starts_with("gha-creds")
    })
}

/// `> ~/$x/.bashrc` says enough of where it leads.
fn guard_unknown(
    verdict: Verdict,
    unknown: &[String],
    allowing: &[&Rule],
    judging: &Judging<'_, '_>,
) -> Verdict {
    let guarded = unknown.iter().find_map(|text| {
        let guarded = guard::guarded(Path::new(text))?;
        (!allowing.iter().any(|rule| is_about(rule, &guarded))).then_some((text, guarded))
    });
    match guarded {
        Some((text, guarded)) => {
            guard_verdict(verdict, Path::new(text), &guarded, judging.asked.presence)
        }
        None => verdict,
    }
}
