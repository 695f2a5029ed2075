//! One `[[safety_checker]]`.

use super::Reading;
use super::fields::{Fields, SchemaError};
use super::rule::scope;
use crate::checker::{Checker, CheckerRule};
use crate::rule::RuleScope;
use crate::{ProblemKind, Rank};

impl Reading<'_> {
    pub(super) fn checker(&mut self, fields: Fields<'_>) -> Result<(), SchemaError> {
        let tools = self.tools(&fields)?;
        let scope = scope(&fields)?;
        let priority = fields.priority()?.unwrap_or(0);
        let checker = fields
            .table("checker")?
            .ok_or_else(|| fields.missing("checker"))?;
        let checker = read_checker(&checker)?;
        if let Some(why) = self.refused_to_extension(None, scope.modes.as_deref()) {
            self.problem(
                fields.line(),
                ProblemKind::ExtensionRestriction,
                why.to_owned(),
            );
            return Ok(());
        }
        let conditions = self.checker_conditions(&fields, &tools)?;
        self.warn_about_names(&fields, &tools);
        for tools in &tools {
            for condition in &conditions {
                self.loaded.checkers.push(CheckerRule {
                    scope: RuleScope {
                        tools: tools.clone(),
                        ..scope.clone()
                    },
                    condition: condition.clone(),
                    rank: Rank::new(self.file.tier, priority),
                    checker: checker.clone(),
                    place: self.place(&fields),
                });
            }
        }
        Ok(())
    }
}

fn read_checker(fields: &Fields<'_>) -> Result<Checker, SchemaError> {
    let kind = fields.text("type")?.ok_or_else(|| fields.missing("type"))?;
    let name = fields.text("name")?.ok_or_else(|| fields.missing("name"))?;
    fields.list("required_context")?;
    match (kind.as_str(), name.as_str()) {
        ("external", _) => Ok(Checker::External { name }),
        ("in-process", "conseca") => Ok(Checker::Conseca),
        ("in-process", "allowed-path") => {
            let config = fields.table("config")?;
            let list = |key: &str| match &config {
                Some(config) => Ok(config.list(key)?.unwrap_or_default()),
                None => Ok(Vec::new()),
            };
            Ok(Checker::AllowedPath {
                included: list("included_args")?,
                excluded: list("excluded_args")?,
            })
        }
        ("in-process", _) => Err(fields.wrong("name", "\"allowed-path\" or \"conseca\"")),
        _ => Err(fields.wrong("type", "\"in-process\" or \"external\"")),
    }
}
