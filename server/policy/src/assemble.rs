//! All sources of rules put together.

use crate::load::load;
use crate::settings_rules::SettingsRules;
use crate::{Options, Policy, Problem, RuleFile, defaults};

impl Policy {
    /// Puts files, shipped rules and settings together. Among rules of the same rank those of files come first, in
    /// the order given.
    pub fn assemble(
        files: &[RuleFile],
        settings: &SettingsRules,
        options: Options,
    ) -> (Self, Vec<Problem>) {
        let mut rules = Vec::new();
        let mut checkers = Vec::new();
        let mut problems = Vec::new();
        let shipped: Vec<RuleFile> = defaults::shipped().collect();
        for file in files.iter().chain(&shipped) {
            let loaded = load(file);
            rules.extend(loaded.rules);
            checkers.extend(loaded.checkers);
            problems.extend(loaded.problems);
        }
        rules.extend(settings.rules());
        (Self::new(rules, checkers, options), problems)
    }

    /// The shipped rules alone.
    pub fn shipped() -> Self {
        Self::assemble(&[], &SettingsRules::default(), Options::default()).0
    }
}
