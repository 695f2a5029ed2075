use expect_test::{Expect, expect};

use crate::rule::Rule;
use crate::{Decision, RulePlace, Tier, ToolPattern};

fn check(tier: Tier, source: &str, line: Option<usize>, words: Expect) {
    let all = [Decision::Allow, Decision::Ask, Decision::Deny].map(|decision| {
        let tools = ToolPattern::tool("write_file");
        let mut rule = Rule::new(tools, decision, tier, 10, source);
        rule.place = RulePlace {
            source: source.to_owned(),
            line,
        };
        rule.reason()
    });
    words.assert_eq(&all.join("\n"));
}

#[test]
fn a_rule_says_whose_it_is_what_it_wants_and_where_it_stands() {
    check(
        Tier::Default,
        "default: write.toml",
        Some(3),
        expect![[r#"
            the built-in rule for changes and commands allows it (write.toml, line 3)
            the built-in rule for changes and commands wants your consent (write.toml, line 3)
            the built-in rule for changes and commands forbids it (write.toml, line 3)"#]],
    );
    check(
        Tier::User,
        "/home/ada/.gemini/policies/mine.toml",
        Some(4),
        expect![[r#"
            a rule of yours allows it (mine.toml, line 4)
            a rule of yours wants your consent (mine.toml, line 4)
            a rule of yours forbids it (mine.toml, line 4)"#]],
    );
    check(
        Tier::Admin,
        "/etc/rules.toml",
        None,
        expect![[r#"
        a rule of the administrator allows it (rules.toml)
        a rule of the administrator wants your consent (rules.toml)
        a rule of the administrator forbids it (rules.toml)"#]],
    );
    check(
        Tier::User,
        "settings: tools.exclude",
        None,
        expect![[r#"
            the setting `tools.exclude` allows it
            the setting `tools.exclude` wants your consent
            the setting `tools.exclude` forbids it"#]],
    );
    check(
        Tier::Workspace,
        "settings: remote agent helper",
        None,
        expect![[r#"
            the rule for the remote agent helper allows it
            the rule for the remote agent helper wants your consent
            the rule for the remote agent helper forbids it"#]],
    );
    check(
        Tier::Workspace,
        "approved for this session",
        None,
        expect![[r#"
            it was approved for this session
            a rule of this workspace wants your consent (approved for this session)
            a rule of this workspace forbids it (approved for this session)"#]],
    );
}

#[test]
fn every_shipped_file_says_what_it_is_about() {
    for file in crate::defaults::shipped() {
        let name = file.source.strip_prefix("default: ").unwrap();
        assert!(
            super::SHIPPED.iter().any(|(known, _)| *known == name),
            "{name}"
        );
    }
}
