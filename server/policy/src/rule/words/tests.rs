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
        expect![[r#""#]],
    );
    check(
        Tier::User,
        "/home/ada/.gemini/policies/mine.toml",
        Some(4),
        expect![[r#""#]],
    );
    check(Tier::Admin, "/etc/rules.toml", None, expect![[r#""#]]);
    check(
        Tier::User,
        "settings: tools.exclude",
        None,
        expect![[r#""#]],
    );
    check(
        Tier::Workspace,
        "settings: remote agent helper",
        None,
        expect![[r#""#]],
    );
    check(
        Tier::Workspace,
        "approved for this session",
        None,
        expect![[r#""#]],
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
