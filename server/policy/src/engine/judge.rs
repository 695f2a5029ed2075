//! A call of any tool but the shell, and what is common to both.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::Policy;
use super::guard::{self, Guarded, Kind};
use crate::paths::Target;
use crate::rule::{Asked, Condition, Origin, Probe};
use crate::{Call, Context, Decision, Presence, Rule, Tier, Verdict};

pub(super) fn judge(policy: &Policy, asked: &Asked<'_>, context: &Context<'_>) -> Verdict {
    let probe = Probe::of(asked.call.args);
    let relevant: Vec<&Rule> = policy.relevant(asked).collect();
    let found = find(&relevant, &probe);
    let verdict = found.verdict(asked.presence);
    let written = written(&asked.call, context);
    let allowing: Vec<&Rule> = found.rule.into_iter().collect();
    let verdict = guard_paths(verdict, &written, &allowing, context);
    let verdict = check_permissions(verdict, asked, context);
    run_checkers(verdict, policy, asked, &probe, context)
}

fn written(call: &Call<'_>, context: &Context<'_>) -> Vec<Target> {
    guard::written_paths(call)
        .into_iter()
        .map(|path| Target::of(path, context.cwd, context))
        .collect()
}

pub(super) fn targets(call: &Call<'_>, context: &Context<'_>) -> Vec<PathBuf> {
    let targets = written(call, context).into_iter();
    targets.filter_map(|target| target.walked).collect()
}

/// What the rules say about one set of arguments.
pub(super) struct Found<'p> {
    /// The first rule whose condition holds.
    pub(super) rule: Option<&'p Rule>,
    /// A stronger rule that restricts, if only its condition could be read.
    unreadable: Option<&'p Rule>,
}

pub(super) fn find<'p>(rules: &[&'p Rule], probe: &Probe<'_>) -> Found<'p> {
    let mut unreadable = None;
    for rule in rules {
        if matches!(rule.condition, Condition::Unreadable { .. }) {
            unreadable = unreadable.or(Some(*rule));
        } else if rule.condition.holds(probe, rule.decision) {
            let rule = Some(*rule);
            return Found { rule, unreadable };
        }
    }
    Found {
        rule: None,
        unreadable,
    }
}

impl Found<'_> {
    /// The verdict before anything but rules was looked at.
    pub(super) fn verdict(&self, presence: Presence) -> Verdict {
        let verdict = match self.rule {
            Some(rule) => by_rule(rule),
            None => no_rule(presence),
        };
        self.floor(verdict)
    }

    pub(super) fn floor(&self, verdict: Verdict) -> Verdict {
        match self.unreadable {
            Some(rule) if verdict.decision == Decision::Allow => Verdict {
                rule: Some(rule.place.clone()),
                ..stricter(
                    verdict,
                    Decision::Ask,
                    rule.sentence("restricts it in a way that cannot be read"),
                )
            },
            _ => verdict,
        }
    }
}

pub(super) fn by_rule(rule: &Rule) -> Verdict {
    Verdict {
        decision: rule.decision,
        reason: rule.reason(),
        deny_message: match rule.decision {
            Decision::Deny => rule.deny_message.clone(),
            Decision::Allow | Decision::Ask => None,
        },
        rule: Some(rule.place.clone()),
        parts: Vec::new(),
        only_reads: false,
    }
}

pub(super) fn no_rule(presence: Presence) -> Verdict {
    let reason = match presence {
        Presence::Interactive => "no rule says otherwise",
        Presence::Headless => "no rule allows it, and nobody can be asked",
    };
    Verdict {
        decision: presence.question(),
        reason: reason.to_owned(),
        deny_message: None,
        rule: None,
        parts: Vec::new(),
        only_reads: false,
    }
}

pub(super) fn stricter(verdict: Verdict, decision: Decision, reason: String) -> Verdict {
    Verdict {
        decision,
        reason,
        ..verdict
    }
}

/// Asks for guarded paths, unless a person's rule is about that very path.
pub(super) fn guard_paths(
    verdict: Verdict,
    written: &[Target],
    allowing: &[&Rule],
    context: &Context<'_>,
) -> Verdict {
    let guarded = written.iter().find_map(|target| {
        target.forms().find_map(|form| {
            let guarded = guard::guarded(Target::below_roots(form, context))?;
            (!allowing.iter().any(|rule| is_about(rule, &guarded)))
                .then(|| (form.to_owned(), guarded))
        })
    });
    match guarded {
        Some((path, guarded)) => guard_verdict(verdict, &path, &guarded, context.presence),
        None => verdict,
    }
}

pub(super) fn guard_verdict(
    verdict: Verdict,
    path: &Path,
    guarded: &Guarded,
    presence: Presence,
) -> Verdict {
    let path = path.display();
    let what = guarded.kind.what();
    // A question that is asked anyway is still a denial where nobody can be asked.
    if verdict.decision >= presence.question() {
        return verdict;
    }
    let (decision, reason) = match presence {
        Presence::Interactive => (
            Decision::Ask,
            format!("`{path}` is {what}, and its change is asked for in every mode"),
        ),
        Presence::Headless => (
            Decision::Deny,
            format!("`{path}` is {what}, and nobody can be asked about its change"),
        ),
    };
    let deny_message = (decision == Decision::Deny).then(|| {
        match guarded.kind {
            Kind::Build => "A person must confirm every change of a build file.",
            Kind::Configuration => {
                "A person must confirm every change of files that git, editors, shells or CI act on."
            }
        }
        .to_owned()
    });
    Verdict {
        deny_message,
        ..stricter(verdict, decision, reason)
    }
}

/// Whether a person wrote or approved the rule with this path in mind: a rule of a repository does not count, and
/// neither does one about every path.
pub(super) fn is_about(rule: &Rule, guarded: &Guarded) -> bool {
    let of_a_person =
        matches!(rule.tier, Tier::User | Tier::Admin) || rule.origin == Origin::Session;
    let text = rule.condition.text().unwrap_or_default();
    of_a_person
        && rule.decision == Decision::Allow
        && text.replace('\\', "").contains(guarded.name.as_str())
}

/// What a call wants beyond its tool's own reach is asked for when it lies outside the workspace.
pub(super) fn check_permissions(
    verdict: Verdict,
    asked: &Asked<'_>,
    context: &Context<'_>,
) -> Verdict {
    let wanted = asked
        .call
        .args
        .get("additional_permissions")
        .and_then(|permissions| permissions.get("fileSystem"));
    let Some(wanted) = wanted.filter(|_| verdict.decision == Decision::Allow) else {
        return verdict;
    };
    let mut paths = Vec::new();
    texts(wanted, &mut paths);
    let outside = paths
        .into_iter()
        .find(|path| !Target::of(path, context.cwd, context).is_inside(context));
    match outside {
        Some(path) => {
            let reason = format!("it wants access to `{path}` outside the workspace");
            stricter(verdict, Decision::Ask, reason)
        }
        None => verdict,
    }
}

pub(super) fn run_checkers(
    mut verdict: Verdict,
    policy: &Policy,
    asked: &Asked<'_>,
    probe: &Probe<'_>,
    context: &Context<'_>,
) -> Verdict {
    for checker in policy.checkers(asked, probe) {
        if verdict.decision == Decision::Deny {
            break;
        }
        let objection = checker.check(asked, context, policy.options.conseca);
        if let Some(objection) = objection.filter(|found| found.decision > verdict.decision) {
            verdict = Verdict {
                rule: Some(checker.place.clone()),
                ..stricter(verdict, objection.decision, objection.reason)
            };
        }
    }
    verdict
}

/// The folder a command starts in.
pub(super) fn folder(asked: &Asked<'_>, context: &Context<'_>) -> Option<PathBuf> {
    let path = ["dir_path", "directory"]
        .iter()
        .find_map(|key| asked.call.args.get(*key).and_then(Value::as_str))
        .filter(|path| !path.is_empty())?;
    Some(crate::paths::normalized(&context.cwd.join(path)))
}

fn texts<'a>(value: &'a Value, out: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => out.push(text),
        Value::Array(values) => values.iter().for_each(|value| texts(value, out)),
        Value::Object(object) => object.values().for_each(|value| texts(value, out)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
