use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::*;

fn file(tier: Tier, text: &str) -> RuleFile {
    RuleFile {
        source: "f.toml".to_owned(),
        text: text.to_owned(),
        tier,
    }
}

fn check(tier: Tier, text: &str, expected: Expect) {
    let loaded = load(&file(tier, text));
    let mut rows: Vec<String> = loaded
        .rules
        .iter()
        .map(|rule| {
            let info = rule.info();
            let server = info.tools.server.map(|name| format!("@{name}"));
            format!(
                "{} {} {}{} {:?}",
                info.place,
                info.rank,
                info.tools.tool,
                server.unwrap_or_default(),
                info.condition
            )
        })
        .collect();
    rows.extend(
        loaded
            .checkers
            .iter()
            .map(|checker| format!("{} {:?}", checker.place, checker.checker)),
    );
    rows.extend(
        loaded
            .problems
            .iter()
            .map(|problem| format!("{:?} {problem}", problem.kind)),
    );
    expected.assert_eq(&rows.join("\n"));
}

const SHELL_RULE: &str = "[[rule]]\ntoolName = \"run_shell_command\"\npriority = 7\n";

#[test]
fn lists_become_every_combination() {
    check(
        Tier::User,
        "\n[[rule]]\ntoolName = [\"a\", \"b\"]\nmcpName = \"s\"\ndecision = \"deny\"\npriority = 1\n\n\
         [[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = [\"git\", \"npm\"]\n\
         decision = \"allow\"\npriority = 999\n",
        expect![[r#"
            f.toml:2 4.001 a@s Always
            f.toml:2 4.001 b@s Always
            f.toml:8 4.999 run_shell_command CommandPrefix("git")
            f.toml:8 4.999 run_shell_command CommandPrefix("npm")"#]],
    );
}

#[test]
fn a_server_alone_means_all_its_tools() {
    check(
        Tier::Admin,
        "[[rule]]\nmcpName = \"s\"\ndecision = \"deny\"\npriority = 0\n",
        expect!["f.toml:1 5.000 *@s Always"],
    );
}

#[test]
fn a_value_of_the_wrong_type_drops_the_file() {
    check(
        Tier::User,
        "[[rule]]\ntoolName = \"glob\"\ndecision = \"maybe\"\npriority = 1\n\n\
         [[rule]]\ntoolName = 5\ndecision = \"deny\"\npriority = 1\n\n\
         [[rule]]\ndecision = \"deny\"\npriority = 1\n\n\
         [[rule]]\ntoolName = \"glob\"\ndecision = \"deny\"\npriority = 1000\n\n\
         [[rule]]\ntoolName = \"glob\"\ndecision = \"deny\"\npriority = 1\nmodes = [\"often\"]\n",
        expect![[r#"
            SchemaValidation f.toml:3: `decision` must be "allow", "deny" or "ask_user"; the whole file is ignored
            SchemaValidation f.toml:7: `toolName` must be text in quotes or a list of that; the whole file is ignored
            SchemaValidation f.toml:11: `toolName` is missing; the whole file is ignored
            SchemaValidation f.toml:18: `priority` must be a whole number from 0 to 999; the whole file is ignored
            SchemaValidation f.toml:24: `modes` must be a list of "default", "autoEdit", "yolo" and "plan"; the whole file is ignored"#]],
    );
}

#[test]
fn text_that_is_no_toml_is_named_with_its_line() {
    check(
        Tier::User,
        "[[rule]]\ntoolName = \n",
        expect![[
            r#"TomlParse f.toml:2: not TOML, so the file is ignored: string values must be quoted, expected literal string"#
        ]],
    );
}

#[test]
fn a_condition_that_cannot_be_read_restricts_where_its_rule_did() {
    check(
        Tier::User,
        &format!(
            "{SHELL_RULE}decision = \"allow\"\ncommandRegex = \"(?=x)\"\n\
             {SHELL_RULE}decision = \"deny\"\ncommandRegex = \"(?=x)\"\n\
             {SHELL_RULE}decision = \"deny\"\ncommandRegex = \"a\"\ncommandPrefix = \"b\"\n\
             {SHELL_RULE}decision = \"allow\"\ncommandPrefix = \"\"\n\
             [[rule]]\ntoolName = \"glob\"\npriority = 1\ndecision = \"allow\"\ncommandPrefix = \"x\"\n"
        ),
        expect![[r#"
            f.toml:6 4.007 run_shell_command Unreadable("(?=x)")
            f.toml:11 4.007 run_shell_command Unreadable("commandPrefix and commandRegex")
            RegexCompilation f.toml:5: `commandRegex` cannot be used: the pattern uses a look-ahead, which Pollux does not support; the rule is left out
            RegexCompilation f.toml:10: `commandRegex` cannot be used: the pattern uses a look-ahead, which Pollux does not support; because the rule restricts, every call it might be about is asked for
            RuleValidation f.toml:15: `commandPrefix` and `commandRegex` exclude each other; because the rule restricts, every call it might be about is asked for
            RuleValidation f.toml:21: `commandPrefix` is empty; the rule is left out
            RuleValidation f.toml:26: `commandPrefix` works only with toolName "run_shell_command"; the rule is left out"#]],
    );
}

#[test]
fn an_extension_may_only_restrict() {
    let rule = |rest: &str| format!("[[rule]]\ntoolName = \"glob\"\npriority = 1\n{rest}\n");
    check(
        Tier::Extension,
        &format!(
            "{}{}{}",
            rule("decision = \"allow\""),
            rule("decision = \"deny\"\nmodes = [\"default\", \"yolo\"]"),
            rule("decision = \"deny\""),
        ),
        expect![[r#"
            f.toml:10 2.001 glob Always
            ExtensionRestriction f.toml:1: an extension may not allow anything, so the rule is left out
            ExtensionRestriction f.toml:5: an extension may not speak about the yolo mode, so this is left out"#]],
    );
}

#[test]
fn names_that_are_nearly_right_are_pointed_out() {
    check(
        Tier::User,
        "[[rule]]\ntoolName = [\"read_fiel\", \"glob\", \"a__b\", \"my_own_thing_here\"]\n\
         decision = \"deny\"\npriority = 1\n",
        expect![[r#"
            f.toml:1 4.001 read_fiel Always
            f.toml:1 4.001 glob Always
            f.toml:1 4.001 a__b Always
            f.toml:1 4.001 my_own_thing_here Always
            ToolNameWarning f.toml:2: there is no tool `read_fiel`; did its author mean `read_file`?
            ToolNameWarning f.toml:2: `a__b` is an old spelling: tools of MCP servers are written `mcp_<server>_<tool>`"#]],
    );
}

#[test]
fn checkers_are_read() {
    check(
        Tier::User,
        "[[safety_checker]]\ntoolName = \"glob\"\n[safety_checker.checker]\ntype = \"in-process\"\n\
         name = \"allowed-path\"\n[safety_checker.checker.config]\nincluded_args = [\"where\"]\n\
         [[safety_checker]]\ntoolName = \"glob\"\nchecker = { type = \"external\", name = \"mine\" }\n",
        expect![[r#"
            f.toml:1 AllowedPath { included: ["where"], excluded: [] }
            f.toml:8 External { name: "mine" }"#]],
    );
}

#[test]
fn unknown_keys_and_inline_tables_are_fine() {
    check(
        Tier::User,
        "rule = [\n  { toolName = \"glob\", decision = \"deny\", priority = 1, name = \"n\", more = [] },\n]\n",
        expect!["f.toml:2 4.001 glob Always"],
    );
}

proptest! {
    #[test]
    fn no_text_panics(text in any::<String>()) {
        load(&file(Tier::User, &text));
    }

    #[test]
    fn nothing_like_a_rule_panics(
        lines in prop::collection::vec(
            prop::sample::select(vec![
                "[[rule]]", "[[safety_checker]]", "[rule]", "[safety_checker.checker]",
                "toolName = \"glob\"", "toolName = [\"a\", 1]", "decision = \"deny\"",
                "decision = 4", "priority = 10", "priority = -1", "priority = 1.5",
                "argsPattern = '('", "commandPrefix = []", "commandRegex = '['",
                "toolName = \"run_shell_command\"", "modes = []", "toolAnnotations = { a = {} }",
                "checker = { type = \"external\", name = \"x\" }", "interactive = 1979-05-27",
            ]),
            0..14,
        ),
    ) {
        load(&file(Tier::Extension, &lines.join("\n")));
    }
}
