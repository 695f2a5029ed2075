//! Where a command writes, beside what its programs do.

use std::path::Path;

use super::super::guard;
use super::super::judge::{guard_paths, guard_verdict, is_about, stricter};
use super::Judging;
use crate::paths::Target;
use crate::rule::Redirecting;
use crate::shell::{self, Direction, Redirection, Script, Word};
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
    let mut written = Vec::new();
    let mut unknown = Vec::new();
    for word in shell::writes(script) {
        match word {
            Word::Literal(path) if NOWHERE.contains(&path.as_str()) => {}
            Word::Literal(path) => written.push(Target::of(&path, judging.cwd(), judging.context)),
            Word::Dynamic(text) => unknown.push(text),
        }
    }
    let verdict = guard_paths(verdict, &written, allowing, judging.context);
    guard_unknown(verdict, &unknown, allowing, judging)
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
    if verdict.decision != Decision::Allow || permitted {
        return verdict;
    }
    let mut to_files = script.redirections.iter().filter(|one| is_of_a_file(one));
    let objection = match judging.asked.mode {
        ApprovalMode::Yolo => None,
        // Edits need no question in this mode, but those are edits in the workspace.
        ApprovalMode::AutoEdit => to_files.find(|one| leads_out(one, judging)),
        ApprovalMode::Plan | ApprovalMode::Default => to_files.next(),
    };
    match objection {
        Some(redirection) => {
            let reason = format!("`{}` is not part of what is allowed", redirection.text);
            stricter(verdict, Decision::Ask, reason)
        }
        None => verdict,
    }
}

fn is_of_a_file(redirection: &Redirection) -> bool {
    match &redirection.target {
        None => false,
        Some(Word::Literal(path)) => !NOWHERE.contains(&path.as_str()),
        Some(Word::Dynamic(_)) => true,
    }
}

fn leads_out(redirection: &Redirection, judging: &Judging<'_, '_>) -> bool {
    match (&redirection.target, redirection.direction) {
        (Some(Word::Literal(path)), Direction::Out) => {
            !Target::of(path, judging.cwd(), judging.context).is_inside(judging.context)
        }
        (Some(Word::Dynamic(_)), Direction::Out) => true,
        (_, Direction::In) | (None, Direction::Out) => false,
    }
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
