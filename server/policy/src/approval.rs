//! What "always allow" means for a call: which rules would answer the question from now on.

mod prefix;

use serde::Serialize;
use serde_json::Value;

use crate::names::{Names, SHELL, short_name};
use crate::pattern::{Pattern, escape};
use crate::rule::{Condition, Origin, Redirecting};
use crate::stable_json::quoted;
use crate::{
    ApprovalMode, Call, Context, Decision, Policy, Rank, Rule, Tier, ToolPattern, Trust, shell,
};

#[cfg(test)]
mod tests;

/// The annotations of a server's tool that stand for what the server says of it, and of all its tools. An approval
/// holds for tools that are still described as they were.
pub const TOOL_FINGERPRINT: &str = "polluxTool";
pub const SERVER_FINGERPRINT: &str = "polluxServer";

/// How long an approval holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Scope {
    Once,
    Session,
    /// Saved with the workspace.
    Workspace,
    /// Saved for the person, in every workspace.
    User,
}

/// A rule that an approval stands for, before it is put anywhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Draft {
    pub tool: String,
    pub server: Option<String>,
    pub narrowing: Narrowing,
    /// The mode in which the approval was given and every freer one.
    pub modes: Vec<ApprovalMode>,
    pub allow_redirection: bool,
    /// What the server said of the tool, or of all its tools, when the approval was given.
    pub described: Option<Described>,
}

/// A description of tools, as an annotation that a rule can ask for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Described {
    pub annotation: String,
    pub fingerprint: String,
}

/// Which calls of the tool are approved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", tag = "kind", content = "value")]
pub enum Narrowing {
    WholeTool,
    CommandPrefix(Vec<String>),
    ArgsPattern(String),
}

/// An "always" that can be offered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Suggestion {
    /// What would be allowed, in words.
    pub label: String,
    pub draft: Draft,
    /// How long it can be made to hold. A stronger rule may still ask; then the scope is not in the list.
    pub scopes: Vec<Scope>,
}

/// Tools for which a rule about every call would be far more than what was approved.
const NEVER_WHOLE: &[&str] = &[
    "glob",
    "grep_search",
    "list_directory",
    "read_file",
    "read_many_files",
    "replace",
    "search_file_content",
    "write_file",
    SHELL,
];
const EDITS: &[&str] = &["replace", "write_file"];
/// Sorted, as they are in the text that patterns see.
const NARROWING_ARGS: &[&str] = &["dir_path", "file_path", "include", "path", "pattern"];

impl Draft {
    /// The draft as Gemini CLI would save it. `None` where only the call itself can be approved.
    pub fn of(call: &Call<'_>, mode: ApprovalMode) -> Option<Self> {
        let modes = mode.and_freer();
        let names = Names::of(call);
        if names.is_shell() {
            let text = call.args.get("command").and_then(Value::as_str)?;
            let script = shell::parse(text).ok()?;
            return Some(Self::shell(prefix::roots(&script)?, &script, modes));
        }
        let narrowing = match NEVER_WHOLE.contains(&call.tool) && call.server.is_none() {
            true => Narrowing::ArgsPattern(args_pattern(call)?),
            false => Narrowing::WholeTool,
        };
        Some(Self {
            tool: short_name(call),
            server: call.server.map(str::to_owned),
            narrowing,
            modes,
            allow_redirection: false,
            described: described(call, TOOL_FINGERPRINT),
        })
    }

    fn shell(prefixes: Vec<String>, script: &shell::Script, modes: Vec<ApprovalMode>) -> Self {
        Self {
            tool: SHELL.to_owned(),
            server: None,
            narrowing: Narrowing::CommandPrefix(prefixes),
            modes,
            allow_redirection: script.redirections.iter().any(|one| one.target.is_some()),
            described: None,
        }
    }

    /// Whether saving it would approve more than anybody was asked about.
    pub(crate) fn is_too_wide(&self) -> bool {
        self.server.is_none()
            && self.narrowing == Narrowing::WholeTool
            && NEVER_WHOLE.contains(&self.tool.as_str())
    }

    /// The rules it stands for; none for a scope or a pattern that leaves nothing to remember.
    pub fn rules(&self, scope: Scope) -> Vec<Rule> {
        let (tier, origin, source) = match scope {
            Scope::Once => return Vec::new(),
            Scope::Session => (
                Tier::Workspace,
                Origin::Session,
                "approved for this session",
            ),
            Scope::Workspace => (
                Tier::Workspace,
                Origin::Written,
                "approved for this workspace",
            ),
            Scope::User => (Tier::User, Origin::Written, "approved for every workspace"),
        };
        let conditions = match &self.narrowing {
            _ if self.is_too_wide() => return Vec::new(),
            Narrowing::WholeTool => vec![Condition::Always],
            Narrowing::CommandPrefix(prefixes) => {
                prefixes.iter().cloned().map(Condition::Prefix).collect()
            }
            Narrowing::ArgsPattern(text) => match Pattern::args(text) {
                Ok(pattern) => vec![Condition::Args(pattern)],
                Err(_) => return Vec::new(),
            },
        };
        let rule = |condition| {
            let tools = ToolPattern {
                tool: self.tool.clone(),
                server: self.server.clone(),
            };
            let mut rule = Rule::new(tools, Decision::Allow, tier, Rank::APPROVED, source);
            rule.scope.modes = Some(self.modes.clone());
            rule.scope.annotations = self
                .described
                .iter()
                .map(|one| (one.annotation.clone(), one.fingerprint.as_str().into()))
                .collect();
            rule.condition = condition;
            rule.origin = origin;
            if self.allow_redirection {
                rule.redirection = Redirecting::Allowed;
            }
            rule
        };
        conditions.into_iter().map(rule).collect()
    }
}

impl Scope {
    /// The mode that "always" for an edit switches the session to.
    pub fn mode_after(self, call: &Call<'_>, mode: ApprovalMode) -> Option<ApprovalMode> {
        let switches = self == Self::Session
            && call.server.is_none()
            && EDITS.contains(&call.tool)
            && mode == ApprovalMode::Default;
        switches.then_some(ApprovalMode::AutoEdit)
    }
}

impl Policy {
    /// The "always" choices for a call that is asked about, the narrowest first. Each was tried: with its rule the
    /// same call is not asked about again.
    pub fn suggestions(&self, call: &Call<'_>, context: &Context<'_>) -> Vec<Suggestion> {
        let mut suggestions: Vec<Suggestion> = Vec::new();
        for (label, draft) in self.candidates(call, context) {
            let scopes: Vec<Scope> = [Scope::Session, Scope::Workspace, Scope::User]
                .into_iter()
                .filter(|scope| self.sticks(&draft, *scope, call, context))
                .collect();
            let known = suggestions.iter().any(|other| other.draft == draft);
            if !scopes.is_empty() && !known {
                suggestions.push(Suggestion {
                    label,
                    draft,
                    scopes,
                });
            }
        }
        suggestions
    }

    fn sticks(&self, draft: &Draft, scope: Scope, call: &Call<'_>, context: &Context<'_>) -> bool {
        if scope == Scope::Workspace && context.trust == Trust::Untrusted {
            return false;
        }
        let mut policy = self.clone();
        for rule in draft.rules(scope) {
            policy.remember(rule);
        }
        policy.decide(call, context).decision == Decision::Allow
    }

    fn candidates(&self, call: &Call<'_>, context: &Context<'_>) -> Vec<(String, Draft)> {
        let mode = self.effective_mode(context);
        let Some(wide) = Draft::of(call, mode) else {
            return Vec::new();
        };
        match &wide.narrowing {
            Narrowing::CommandPrefix(roots) => {
                let text = call.args.get("command").and_then(Value::as_str);
                let Ok(script) = shell::parse(text.unwrap_or_default()) else {
                    return Vec::new();
                };
                let verdict = self.decide(call, context);
                let mut candidates = Vec::new();
                let place = shell::Place {
                    cwd: context.cwd,
                    roots: context.roots,
                    view: context.view,
                };
                let narrow = prefix::narrow(&script, &verdict.parts, &place);
                if !narrow.is_empty() {
                    let label = prefix::label(&narrow);
                    candidates.push((label, Draft::shell(narrow, &script, mode.and_freer())));
                }
                if prefix::roots_are_harmless(&script, &place) {
                    candidates.push((prefix::label(roots), wide));
                }
                candidates
            }
            Narrowing::ArgsPattern(_) => {
                let what = NARROWING_ARGS
                    .iter()
                    .find_map(|key| call.args.get(*key).and_then(Value::as_str));
                let label = format!("`{}` with `{}`", wide.tool, what.unwrap_or_default());
                vec![(label, wide)]
            }
            Narrowing::WholeTool => whole_tools(wide, call),
        }
    }
}

fn described(call: &Call<'_>, annotation: &str) -> Option<Described> {
    call.server?;
    let fingerprint = call.annotations?.get(annotation)?.as_str()?;
    Some(Described {
        annotation: annotation.to_owned(),
        fingerprint: fingerprint.to_owned(),
    })
}

fn whole_tools(tool: Draft, call: &Call<'_>) -> Vec<(String, Draft)> {
    let Some(server) = tool.server.clone() else {
        return vec![(format!("every call of `{}`", tool.tool), tool)];
    };
    let every = Draft {
        tool: "*".to_owned(),
        described: described(call, SERVER_FINGERPRINT),
        ..tool.clone()
    };
    vec![
        (format!("`{}` of the server `{server}`", tool.tool), tool),
        (format!("every tool of the server `{server}`"), every),
    ]
}

/// The arguments that say what is touched, each whole: the borders keep another argument from containing them.
fn args_pattern(call: &Call<'_>) -> Option<String> {
    let pairs: Vec<String> = NARROWING_ARGS
        .iter()
        .filter_map(|key| {
            let value = call.args.get(*key)?.as_str()?;
            let pair = format!("{}:{}", quoted(key), quoted(value));
            Some(format!(r"\x00{}\x00", escape(&pair)))
        })
        .collect();
    (!pairs.is_empty()).then(|| pairs.join(".*"))
}
