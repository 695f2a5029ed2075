//! A shell command: every part is judged by itself, and the strictest verdict is the command's.

mod redirection;

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::Policy;
use super::judge::{
    self, Found, by_rule, check_permissions, find, no_rule, run_checkers, stricter,
};
use crate::paths::Target;
use crate::rule::condition::{program_name, text_of};
use crate::rule::{Asked, Probe};
use crate::shell::{self, Command, Place, Safety, Script, Word};
use crate::{ApprovalMode, Context, Decision, PartVerdict, Rule, Trust, Verdict};

pub(super) fn judge(policy: &Policy, asked: &Asked<'_>, context: &Context<'_>) -> Verdict {
    let text = asked.call.args.get("command").and_then(Value::as_str);
    // Only what bash takes for blanks: it runs the rest.
    let text = text.unwrap_or_default().trim_matches([' ', '\t', '\n']);
    let whole = Probe::whole(asked.call.args, text);
    let relevant: Vec<&Rule> = policy.relevant(asked).collect();
    let verdict = match shell::parse(text) {
        Ok(script) if !script.commands.is_empty() => {
            let judging = Judging {
                asked,
                context,
                relevant: &relevant,
                folder: judge::folder(asked, context),
            };
            judging.script(&script, &whole)
        }
        Ok(_) => not_understood(&find(&relevant, &whole), asked, "it runs nothing"),
        Err(error) => forbidden_part(&relevant, asked, text)
            .unwrap_or_else(|| not_understood(&find(&relevant, &whole), asked, &error.reason)),
    };
    let verdict = check_permissions(verdict, asked, context);
    run_checkers(verdict, policy, asked, &whole, context)
}

/// A denial holds for what can be made out in a command, even where the rest of it is not understood.
fn forbidden_part(relevant: &[&Rule], asked: &Asked<'_>, text: &str) -> Option<Verdict> {
    shell::glimpse(text).iter().find_map(|command| {
        let found = find(relevant, &Probe::part(asked.call.args, command));
        let rule = found.rule?;
        let forbids = rule.decision == Decision::Deny && !rule.condition.is_always();
        forbids.then(|| by_rule(rule))
    })
}

/// Nothing allows what cannot be taken apart, the mode without questions included.
fn not_understood(found: &Found<'_>, asked: &Asked<'_>, why: &str) -> Verdict {
    if let Some(rule) = found.rule.filter(|rule| rule.decision == Decision::Deny) {
        return by_rule(rule);
    }
    Verdict {
        reason: format!("the command is not fully understood: {why}"),
        ..no_rule(asked.presence)
    }
}

struct Judging<'a, 'p> {
    asked: &'a Asked<'a>,
    context: &'a Context<'a>,
    relevant: &'a [&'p Rule],
    /// Where the command starts, if it says so.
    folder: Option<PathBuf>,
}

/// A part's verdict and the rule that allowed it, which may know more about redirections and paths.
struct Judged<'p> {
    part: PartVerdict,
    deny_message: Option<String>,
    allowing: Option<&'p Rule>,
}

impl<'p> Judging<'_, 'p> {
    fn script(&self, script: &Script, whole: &Probe<'_>) -> Verdict {
        let judged: Vec<Judged<'p>> = script
            .commands
            .iter()
            .map(|command| self.part(command))
            .collect();
        let strictest = strictest(&judged);
        let single = judged.len() == 1;
        let mut verdict = match strictest {
            Some(found) => Verdict {
                decision: found.part.decision,
                reason: match single {
                    true => found.part.reason.clone(),
                    false => format!("`{}`: {}", found.part.text, found.part.reason),
                },
                deny_message: found.deny_message.clone(),
                rule: found.part.rule.clone(),
                parts: Vec::new(),
            },
            None => no_rule(self.asked.presence),
        };
        if verdict.decision == Decision::Allow && !single {
            "each of its parts is allowed".clone_into(&mut verdict.reason);
        }
        verdict = self.as_a_whole(verdict, whole);
        let allowing: Vec<&Rule> = judged.iter().filter_map(|judged| judged.allowing).collect();
        verdict = redirection::judge(verdict, script, &allowing, self);
        verdict.parts = judged.into_iter().map(|judged| judged.part).collect();
        verdict
    }

    /// Some rules only match the whole text, such as a pattern over a pipe. They can restrict; what allows the
    /// beginning of a chain does not allow the chain.
    fn as_a_whole(&self, verdict: Verdict, whole: &Probe<'_>) -> Verdict {
        let found = find(self.relevant, whole);
        match found.rule {
            Some(rule) if !rule.condition.is_always() && rule.decision > verdict.decision => {
                by_rule(rule)
            }
            _ => found.floor(verdict),
        }
    }

    fn part(&self, command: &Command) -> Judged<'p> {
        let probe = Probe::part(self.asked.call.args, command);
        let found = find(self.relevant, &probe);
        let verdict = found
            .rule
            .map_or_else(|| no_rule(self.asked.presence), by_rule);
        let whole_tool = found.rule.is_none_or(|rule| rule.condition.is_always());
        let verdict = match whole_tool {
            true => self.weigh(verdict, command),
            false => verdict,
        };
        let verdict = self.refuse_unknown_program(found.floor(verdict), command);
        let allowing = match verdict.decision {
            Decision::Allow => found.rule.filter(|rule| rule.decision == Decision::Allow),
            Decision::Ask | Decision::Deny => None,
        };
        Judged {
            deny_message: verdict.deny_message,
            part: PartVerdict {
                text: command.text.clone(),
                decision: verdict.decision,
                reason: verdict.reason,
                rule: verdict.rule,
            },
            allowing,
        }
    }

    /// What is known about the command itself, for when no rule looked at it. Nothing loosens a denial.
    fn weigh(&self, verdict: Verdict, command: &Command) -> Verdict {
        if verdict.decision == Decision::Deny {
            return verdict;
        }
        let yolo = self.asked.mode == ApprovalMode::Yolo;
        if let Some(folder) = self.folder.as_deref().filter(|_| !yolo) {
            let target = Target::of(&folder.to_string_lossy(), self.context.cwd, self.context);
            if !target.is_inside(self.context) {
                let reason = format!("it runs in `{}` outside the workspace", folder.display());
                return stricter(verdict, Decision::Ask, reason);
            }
        }
        if self.context.trust == Trust::Untrusted && runs_git(command) {
            let reason = "git runs programs that a folder names, and this one is not trusted";
            return stricter(verdict, Decision::Ask, reason.to_owned());
        }
        match shell::classify(command, &self.place()) {
            Safety::Dangerous { reason } if !yolo => stricter(verdict, Decision::Ask, reason),
            Safety::KnownSafe if verdict.decision == Decision::Ask => Verdict {
                reason: format!("`{}` only looks", command.text),
                ..stricter(verdict, Decision::Allow, String::new())
            },
            Safety::KnownSafe | Safety::Dangerous { .. } | Safety::Ordinary => verdict,
        }
    }

    /// `$x` may be any program.
    fn refuse_unknown_program(&self, verdict: Verdict, command: &Command) -> Verdict {
        match command.words.first() {
            Some(Word::Dynamic(program)) if verdict.decision < self.asked.presence.question() => {
                let decision = self.asked.presence.question();
                let reason = format!("which program `{program}` is shows only when it runs");
                stricter(verdict, decision, reason)
            }
            _ => verdict,
        }
    }

    fn place(&self) -> Place<'_> {
        Place {
            cwd: self.cwd(),
            roots: self.context.roots,
            resolve: self.context.resolve,
        }
    }

    fn cwd(&self) -> &Path {
        self.folder.as_deref().unwrap_or(self.context.cwd)
    }
}

/// The first of the strictest.
fn strictest<'j, 'p>(judged: &'j [Judged<'p>]) -> Option<&'j Judged<'p>> {
    judged
        .iter()
        .rev()
        .max_by_key(|judged| judged.part.decision)
}

fn runs_git(command: &Command) -> bool {
    command
        .words
        .first()
        .is_some_and(|program| program_name(text_of(program)) == "git")
}
