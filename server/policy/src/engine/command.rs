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
use crate::{ApprovalMode, Context, Decision, GitRepository, PartVerdict, Rule, Trust, Verdict};

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

/// Where the files lie that a command writes, as far as its text says.
pub(super) fn targets(asked: &Asked<'_>, context: &Context<'_>) -> Vec<PathBuf> {
    let text = asked.call.args.get("command").and_then(Value::as_str);
    let Ok(script) = shell::parse(text.unwrap_or_default().trim_matches([' ', '\t', '\n'])) else {
        return Vec::new();
    };
    let judging = Judging {
        asked,
        context,
        relevant: &[],
        folder: judge::folder(asked, context),
    };
    let (written, _) = redirection::written(&script, &judging);
    written
        .into_iter()
        .filter_map(|target| target.walked)
        .collect()
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
                only_reads: false,
            },
            None => no_rule(self.asked.presence),
        };
        if verdict.decision == Decision::Allow && !single {
            "each of its parts is allowed".clone_into(&mut verdict.reason);
        }
        verdict = self.words(verdict, script, &judged);
        verdict = self.as_a_whole(verdict, whole);
        let allowing: Vec<&Rule> = judged.iter().filter_map(|judged| judged.allowing).collect();
        verdict = redirection::judge(verdict, script, &allowing, self);
        verdict.parts = judged.into_iter().map(|judged| judged.part).collect();
        verdict.only_reads = !verdict.parts.is_empty()
            && verdict.parts.iter().all(|part| part.only_reads)
            && !redirection::writes_a_file(script);
        verdict
    }

    /// Loops, cases, here-documents and assignments hold words that no part is about.
    fn words(&self, verdict: Verdict, script: &Script, judged: &[Judged<'_>]) -> Verdict {
        if verdict.decision != Decision::Allow || self.asked.mode == ApprovalMode::Yolo {
            return verdict;
        }
        match shell::classify_words(script, &self.place()) {
            Safety::Dangerous { reason } => stricter(verdict, Decision::Ask, reason),
            Safety::Ordinary if judged.iter().any(|judged| judged.part.only_reads) => {
                let reason = "it uses a variable that the command itself does not set".to_owned();
                stricter(verdict, Decision::Ask, reason)
            }
            Safety::Ordinary | Safety::KnownSafe => verdict,
        }
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
        let before = verdict.decision;
        let mut only_reads = false;
        let verdict = match found.rule.filter(|_| !whole_tool) {
            Some(rule) => match self.objection(rule, command) {
                Some(_) if shell::classify_alone(command, &self.place()) == Safety::KnownSafe => {
                    only_reads = true;
                    verdict
                }
                Some(reason) => stricter(verdict, Decision::Ask, reason),
                None => verdict,
            },
            None => self.weigh(verdict, command),
        };
        only_reads |= before != Decision::Allow && verdict.decision == Decision::Allow;
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
                only_reads: only_reads && verdict.decision == Decision::Allow,
            },
            allowing,
        }
    }

    /// What a rule that allows a command does not cover: options that write or run something and that its text does not
    /// name, and arguments that could turn out to be such options.
    fn objection(&self, rule: &Rule, command: &Command) -> Option<String> {
        if rule.decision != Decision::Allow || self.asked.mode == ApprovalMode::Yolo {
            return None;
        }
        let text = rule.condition.text().unwrap_or_default().replace('\\', "");
        let unnamed = shell::dangers(command).into_iter().find(|danger| {
            let token = danger.token.as_ref().map(|token| token.replace('\\', ""));
            !token.is_some_and(|token| text.contains(&token))
        });
        if let Some(danger) = unnamed {
            return Some(format!("{}, and the rule does not name it", danger.reason));
        }
        if let Some(word) = shell::hidden_option(command)
            && !text.contains(word)
        {
            return Some(format!(
                "`{word}` may turn out to be an option, and the rule does not name it"
            ));
        }
        self.foreign_repository(command)
    }

    /// git acts on the settings of the repository it finds, and a folder of the workspace can be made to look like one.
    fn foreign_repository(&self, command: &Command) -> Option<String> {
        if !runs_git(command) || self.asked.mode == ApprovalMode::Yolo {
            return None;
        }
        let mut args = command.words.iter().skip(1).map(text_of);
        let elsewhere = args
            .find(|arg| *arg == "-C")
            .and_then(|_| args.next())
            .unwrap_or(".");
        let folders = self.folders(&command.folder)?;
        let runs = folders.iter().any(|folder| {
            let folder = crate::paths::normalized(&folder.join(elsewhere));
            self.context.view.git_repository(&folder) == GitRepository::RunsPrograms
        });
        runs.then(|| "the repository that git finds there names programs for git to run".to_owned())
    }

    /// All folders that a relative path may begin in; `None` if they are not known.
    fn folders(&self, folder: &shell::Folder) -> Option<Vec<PathBuf>> {
        let start = self.cwd().to_owned();
        match folder {
            shell::Folder::Start => Some(vec![start]),
            shell::Folder::Maybe(folders) => {
                let further = folders.iter().map(|to| self.cwd().join(to));
                Some(std::iter::once(start.clone()).chain(further).collect())
            }
            shell::Folder::Unknown => None,
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
        if let Some(reason) = self.foreign_repository(command) {
            return stricter(verdict, Decision::Ask, reason);
        }
        match shell::classify_alone(command, &self.place()) {
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
            view: self.context.view,
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
