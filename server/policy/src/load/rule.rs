//! One `[[rule]]`, which may stand for several rules.

use super::Reading;
use super::fields::{Fields, SchemaError};
use super::tool_names;
use crate::pattern::Pattern;
use crate::rule::{Condition, Origin, Redirecting, RuleScope};
use crate::{Decision, ProblemKind, Rank, Rule, RulePlace, Tier, ToolPattern};

/// A condition that is of no use, and why.
pub(super) struct Unusable {
    line: Option<usize>,
    kind: ProblemKind,
    message: String,
    text: String,
}

impl Reading<'_> {
    pub(super) fn rule(&mut self, fields: Fields<'_>) -> Result<(), SchemaError> {
        let decision = fields.decision()?;
        let priority = fields
            .priority()?
            .ok_or_else(|| fields.missing("priority"))?;
        let tools = self.tools(&fields)?;
        let scope = scope(&fields)?;
        let redirection = either(fields.truth("allowRedirection")?, || {
            fields.truth("allow_redirection")
        })?;
        let deny_message = either(fields.text("denyMessage")?, || fields.text("deny_message"))?;
        let conditions = conditions(&fields, &tools, decision, self.file.tier)?;

        if let Some(why) = self.refused_to_extension(Some(decision), scope.modes.as_deref()) {
            self.problem(
                fields.line(),
                ProblemKind::ExtensionRestriction,
                why.to_owned(),
            );
            return Ok(());
        }
        let conditions = match conditions {
            Ok(conditions) => conditions,
            Err(unusable) => {
                let follows = match decision {
                    Decision::Allow => "the rule is left out",
                    Decision::Ask | Decision::Deny => {
                        "because the rule restricts, every call it might be about is asked for"
                    }
                };
                let message = format!("{}; {follows}", unusable.message);
                self.problem(unusable.line, unusable.kind, message);
                match decision {
                    Decision::Allow => return Ok(()),
                    Decision::Ask | Decision::Deny => vec![Condition::Unreadable {
                        text: unusable.text,
                    }],
                }
            }
        };
        self.warn_about_names(&fields, &tools);
        for tools in &tools {
            for condition in &conditions {
                let scope = RuleScope {
                    tools: tools.clone(),
                    ..scope.clone()
                };
                self.loaded.rules.push(Rule {
                    scope,
                    condition: condition.clone(),
                    decision,
                    rank: Rank::new(self.file.tier, priority),
                    tier: self.file.tier,
                    origin: Origin::Written,
                    redirection: match redirection {
                        Some(true) => Redirecting::Allowed,
                        Some(false) | None => Redirecting::Unsaid,
                    },
                    deny_message: deny_message.clone(),
                    place: self.place(&fields),
                });
            }
        }
        Ok(())
    }

    pub(super) fn place(&self, fields: &Fields<'_>) -> RulePlace {
        RulePlace {
            source: self.file.source.clone(),
            line: fields.line(),
        }
    }

    /// The twin's documentation has rules with `mcpName` alone, and they mean every tool of that server.
    pub(super) fn tools(&self, fields: &Fields<'_>) -> Result<Vec<ToolPattern>, SchemaError> {
        let server = fields.text("mcpName")?;
        let names = match (fields.texts("toolName")?, &server) {
            (Some(names), _) => names,
            (None, Some(_)) => vec!["*".to_owned()],
            (None, None) => return Err(fields.missing("toolName")),
        };
        let pattern = |tool: String| ToolPattern {
            tool,
            server: server.clone(),
        };
        Ok(names.into_iter().map(pattern).collect())
    }

    pub(super) fn warn_about_names(&mut self, fields: &Fields<'_>, tools: &[ToolPattern]) {
        for pattern in tools {
            if let Some(warning) = tool_names::warning(pattern) {
                self.problem(
                    fields.line_of("toolName"),
                    ProblemKind::ToolNameWarning,
                    warning,
                );
            }
        }
    }

    /// A checker always restricts, so a condition that cannot be read holds for every call.
    pub(super) fn checker_conditions(
        &mut self,
        fields: &Fields<'_>,
        tools: &[ToolPattern],
    ) -> Result<Vec<Condition>, SchemaError> {
        Ok(
            match conditions(fields, tools, Decision::Deny, self.file.tier)? {
                Ok(conditions) => conditions,
                Err(unusable) => {
                    let message = format!("{}; the checker runs for every call", unusable.message);
                    self.problem(unusable.line, unusable.kind, message);
                    vec![Condition::Always]
                }
            },
        )
    }
}

/// Everything but the tools, which are set for each rule.
pub(super) fn scope(fields: &Fields<'_>) -> Result<RuleScope, SchemaError> {
    Ok(RuleScope {
        subagent: fields.text("subagent")?,
        annotations: fields.object("toolAnnotations")?.into_iter().collect(),
        modes: fields.modes()?,
        presence: fields.presence()?,
        ..RuleScope::of(ToolPattern::tool("*"))
    })
}

fn either<T>(
    first: Option<T>,
    second: impl FnOnce() -> Result<Option<T>, SchemaError>,
) -> Result<Option<T>, SchemaError> {
    match first {
        Some(value) => Ok(Some(value)),
        None => second(),
    }
}

fn conditions(
    fields: &Fields<'_>,
    tools: &[ToolPattern],
    decision: Decision,
    tier: Tier,
) -> Result<Result<Vec<Condition>, Unusable>, SchemaError> {
    let args = fields.text("argsPattern")?;
    let prefixes = fields.texts("commandPrefix")?;
    let command = fields.text("commandRegex")?;

    let given = [
        ("argsPattern", args.is_some()),
        ("commandPrefix", prefixes.is_some()),
        ("commandRegex", command.is_some()),
    ];
    let given: Vec<&str> = given
        .iter()
        .filter_map(|(key, is_given)| is_given.then_some(*key))
        .collect();
    let unusable = |key: &str, kind: ProblemKind, message: String, text: &str| Unusable {
        line: fields.line_of(key),
        kind,
        message,
        text: text.to_owned(),
    };
    if let [_, second, ..] = given.as_slice() {
        let message = format!("{} exclude each other", quoted_list(&given));
        let kind = ProblemKind::RuleValidation;
        return Ok(Err(unusable(second, kind, message, &given.join(" and "))));
    }
    let only_shell = tools.iter().all(ToolPattern::is_shell);
    if let Some(key) = given
        .first()
        .filter(|key| **key != "argsPattern" && !only_shell)
    {
        let message = format!("`{key}` works only with toolName \"run_shell_command\"");
        return Ok(Err(unusable(
            key,
            ProblemKind::RuleValidation,
            message,
            key,
        )));
    }
    if let Some(prefixes) = prefixes {
        if prefixes.iter().any(|prefix| prefix.trim().is_empty()) {
            let message = "`commandPrefix` is empty".to_owned();
            let kind = ProblemKind::RuleValidation;
            return Ok(Err(unusable("commandPrefix", kind, message, "")));
        }
        return Ok(Ok(prefixes.into_iter().map(Condition::Prefix).collect()));
    }
    let (key, text, compiled) = if let Some(text) = args {
        let pattern = match (tier, decision) {
            (Tier::Default, Decision::Allow) => Pattern::shipped(&text),
            _ => Pattern::args(&text),
        };
        ("argsPattern", text, pattern.map(Condition::Args))
    } else if let Some(text) = command {
        let compiled = Condition::command(&text, decision);
        ("commandRegex", text, compiled)
    } else {
        return Ok(Ok(vec![Condition::Always]));
    };
    Ok(match compiled {
        Ok(condition) => Ok(vec![condition]),
        Err(error) => {
            let message = format!("`{key}` cannot be used: {error}");
            Err(unusable(key, ProblemKind::RegexCompilation, message, &text))
        }
    })
}

fn quoted_list(keys: &[&str]) -> String {
    let quoted: Vec<String> = keys.iter().map(|key| format!("`{key}`")).collect();
    quoted.join(" and ")
}
