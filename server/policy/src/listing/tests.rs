use expect_test::expect;

use crate::engine::tests::World;
use crate::{SettingsRules, Tier};

#[test]
fn rules_are_listed_from_the_strongest_on() {
    let admin = "[[rule]]\ntoolName = \"glob\"\ndecision = \"deny\"\npriority = 0\n";
    let user = "[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = [\"a\", \"b\"]\n\
                decision = \"allow\"\npriority = 300\nmodes = [\"autoEdit\"]\nallowRedirection = true\n";
    let settings = SettingsRules {
        allowed: vec!["web_fetch".to_owned(), "run_shell_command(git)".to_owned()],
        ..SettingsRules::default()
    };
    let world = World::with(&[(Tier::User, user), (Tier::Admin, admin)], settings);
    let rules = world.policy.rules();
    let rows: Vec<String> = rules
        .iter()
        .take(7)
        .map(|rule| {
            format!(
                "{} {:?} {} ({})",
                rule.rank, rule.decision, rule.tools.tool, rule.place
            )
        })
        .collect();
    expect![[r#"
        5.000 Deny glob (Admin.toml:1)
        4.300 Allow run_shell_command (User.toml:1)
        4.300 Allow run_shell_command (User.toml:1)
        4.300 Allow web_fetch (settings: tools.allowed)
        4.300 Allow run_shell_command (settings: tools.allowed)
        4.290 Deny run_shell_command (settings: tools.allowed)
        1.999 Deny ask_user (default: non-interactive.toml:3)"#]]
    .assert_eq(&rows.join("\n"));
    expect![[r#"{"place":{"source":"User.toml","line":1},"tier":"user","rank":"4.300","decision":"allow","tools":{"tool":"run_shell_command","server":null},"except":[],"condition":{"kind":"commandPrefix","text":"a"},"subagent":null,"annotations":{},"modes":["autoEdit"],"presence":null,"allowRedirection":true,"denyMessage":null}"#]]
    .assert_eq(&serde_json::to_string(&rules[1]).unwrap());
}
