use expect_test::expect;
use proptest::prelude::*;

use super::*;
use crate::{RuleFile, Tier};

fn npm(prefixes: &[&str]) -> Draft {
    Draft {
        tool: "run_shell_command".to_owned(),
        server: None,
        narrowing: Narrowing::CommandPrefix(prefixes.iter().map(|one| (*one).to_owned()).collect()),
        modes: ApprovalMode::Default.and_freer(),
        allow_redirection: false,
        described: None,
    }
}

const BY_HAND: &str = r#"# my rules
[[rule]]
decision = "allow" # yes
priority = 950
toolName = "run_shell_command"
commandPrefix = "npm"
modes = ["autoEdit"] # for now

# the end
[other]
key = 1
"#;

#[test]
fn the_same_approval_widens_its_rule_and_nothing_else_changes() {
    let once = merge(BY_HAND, &npm(&["npm"])).unwrap();
    expect![[r##"
        # my rules
        [[rule]]
        decision = "allow" # yes
        priority = 950
        toolName = "run_shell_command"
        commandPrefix = "npm"
        modes = ["default", "autoEdit", "yolo"] # for now

        # the end
        [other]
        key = 1
    "##]]
    .assert_eq(&once);
    assert_eq!(
        merge(&once, &npm(&["npm"])).unwrap(),
        once,
        "and a second time nothing"
    );
}

#[test]
fn a_new_approval_is_appended() {
    let text = merge(BY_HAND, &npm(&["cargo test"])).unwrap();
    expect![[r##"
        # my rules
        [[rule]]
        decision = "allow" # yes
        priority = 950
        toolName = "run_shell_command"
        commandPrefix = "npm"
        modes = ["autoEdit"] # for now

        [[rule]]
        decision = "allow"
        priority = 950
        toolName = "run_shell_command"
        commandPrefix = ["cargo test"]
        modes = ["default", "autoEdit", "yolo"]

        # the end
        [other]
        key = 1
    "##]]
    .assert_eq(&text);
}

#[test]
fn what_is_covered_is_not_saved_again() {
    let text = merge("", &npm(&["git", "npm"])).unwrap();
    assert_eq!(merge(&text, &npm(&["npm"])).unwrap(), text);
    assert_eq!(merge(&text, &npm(&["npm", "git"])).unwrap(), text);
    let redirecting = Draft {
        allow_redirection: true,
        ..npm(&["npm", "git"])
    };
    let wider = merge(&text, &redirecting).unwrap();
    assert_eq!(list(&wider).unwrap().len(), 1);
    assert!(list(&wider).unwrap()[0].allow_redirection);
}

#[test]
fn a_tool_that_needs_narrowing_is_not_saved_whole() {
    let whole = Draft {
        narrowing: Narrowing::WholeTool,
        ..npm(&[])
    };
    assert_eq!(merge("", &whole).unwrap(), "");
}

#[test]
fn servers_are_saved_with_the_short_name() {
    let draft = Draft {
        tool: "t".to_owned(),
        server: Some("s".to_owned()),
        narrowing: Narrowing::WholeTool,
        ..npm(&[])
    };
    expect![[r#"
        [[rule]]
        decision = "allow"
        priority = 950
        toolName = "t"
        mcpName = "s"
        modes = ["default", "autoEdit", "yolo"]
    "#]]
    .assert_eq(&merge("", &draft).unwrap());
}

#[test]
fn a_rule_can_be_taken_out() {
    let text = merge(BY_HAND, &npm(&["cargo test"])).unwrap();
    let rules = list(&text).unwrap();
    let lines: Vec<_> = rules.iter().map(|rule| (rule.index, rule.line)).collect();
    assert_eq!(lines, [(0, Some(2)), (1, Some(9))]);
    assert_eq!(remove(&text, 1).unwrap(), BY_HAND);
    assert_eq!(remove(&text, 2), Err(RemoveError::NoSuchRule(2)));
    let inline = "rule = [{ toolName = \"a\" }, { toolName = \"b\" }]\n";
    assert_eq!(list(&remove(inline, 0).unwrap()).unwrap()[0].tool, ["b"]);
}

#[test]
fn a_corrupt_file_is_not_touched() {
    assert!(matches!(
        merge("[[rule", &npm(&["a"])),
        Err(Corrupt::NotToml(_))
    ));
    assert_eq!(merge("rule = 5\n", &npm(&["a"])), Err(Corrupt::NoRules));
    assert_eq!(merge("[rule]\n", &npm(&["a"])), Err(Corrupt::NoRules));
}

fn word() -> impl Strategy<Value = String> {
    "[a-z\"\\\\' #é]{1,8}"
}

proptest! {
    #[test]
    fn saving_keeps_everything_else(
        comments in prop::collection::vec("[ -~]{0,20}", 0..4),
        existing in prop::collection::vec(word(), 0..4),
        new in word(),
    ) {
        let mut text = String::new();
        for (place, comment) in comments.iter().enumerate() {
            text.push_str(&format!("# {comment}\nkey{place} = 1 # {comment}\n"));
        }
        for prefix in &existing {
            text = merge(&text, &npm(&[prefix])).unwrap();
        }
        let merged = merge(&text, &npm(&[&new])).unwrap();
        for line in text.lines() {
            prop_assert!(merged.lines().any(|other| other == line), "{line:?} is gone from {merged:?}");
        }
        let mut distinct = existing.clone();
        distinct.push(new.clone());
        distinct.sort();
        distinct.dedup();
        let rules = list(&merged).unwrap();
        prop_assert_eq!(rules.len(), distinct.len());
        prop_assert!(rules.iter().any(|rule| rule.command_prefix == [new.as_str()]));
        prop_assert_eq!(merge(&merged, &npm(&[&new])).unwrap(), merged.clone());
        let file = RuleFile { source: String::new(), text: merged, tier: Tier::User };
        let blank = distinct.iter().filter(|prefix| prefix.trim().is_empty()).count();
        prop_assert_eq!(crate::load(&file).rules.len(), distinct.len() - blank);
    }

    #[test]
    fn no_text_panics(text in any::<String>(), index in 0..3_usize) {
        let errors_are_fine = (merge(&text, &npm(&["a"])), remove(&text, index), list(&text));
        drop(errors_are_fine);
    }
}

fn edited(text: &str) -> Result<Draft, String> {
    parse_draft(text, &npm(&["npm"])).map_err(|error| error.to_string())
}

#[test]
fn a_rule_that_is_offered_is_read_back_as_it_is_shown() {
    for draft in [
        npm(&["npm test"]),
        npm(&["a", "b"]),
        Draft {
            allow_redirection: true,
            ..npm(&["npm"])
        },
    ] {
        let shown = merge("", &draft).unwrap();
        assert_eq!(edited(&shown), Ok(draft));
    }
    let pattern = Draft {
        tool: "write_file".to_owned(),
        narrowing: Narrowing::ArgsPattern("\"file_path\":\"a\"".to_owned()),
        ..npm(&[])
    };
    let shown = merge("", &pattern).unwrap();
    assert_eq!(parse_draft(&shown, &pattern), Ok(pattern));
}

#[test]
fn a_rule_that_a_person_has_changed_is_narrowed_or_widened_and_nothing_else() {
    let rule = |rest: &str| format!("[[rule]]\ndecision = \"allow\"\n{rest}");
    let shell = |rest: &str| rule(&format!("toolName = \"run_shell_command\"\n{rest}"));
    assert_eq!(
        edited(&shell(
            "commandPrefix = \"npm run build\"\nmodes = [\"default\"]"
        )),
        Ok(Draft {
            modes: vec![ApprovalMode::Default],
            ..npm(&["npm run build"])
        })
    );
    let refused = [
        "nonsense =",
        "",
        "key = 1",
        &format!("{0}\n{0}", shell("commandPrefix = \"a\"")),
        &shell("commandPrefix = \"a\"").replace("allow", "deny"),
        &rule("toolName = \"write_file\"\nargsPattern = \"a\""),
        &rule("commandPrefix = \"a\""),
        &shell("commandPrefix = \"\""),
        &shell("commandPrefix = 3"),
        &shell("commandPrefix = \"a\"\nargsPattern = \"b\""),
        &shell("argsPattern = \"(\""),
        &shell("commandPrefix = \"a\"\nmodes = [\"every\"]"),
        &shell("commandPrefix = \"a\"\npriority = 999"),
        &shell("commandPrefix = \"a\"\ndenyMessage = \"no\""),
        &shell(""),
        &format!("{}\n[other]\n", shell("commandPrefix = \"a\"")),
    ]
    .map(|text| edited(text).unwrap_err());
    expect![[r#"
        the file of saved approvals is not TOML: string values must be quoted, expected literal string
        it has to be one `[[rule]]` and nothing else
        it has to be one `[[rule]]` and nothing else
        it has to be one `[[rule]]` and nothing else
        its decision has to be "allow"
        it is about `write_file`, and the question is about `run_shell_command`
        it is about ``, and the question is about `run_shell_command`
        `commandPrefix` has no value of the right kind
        `commandPrefix` has no value of the right kind
        a rule has a `commandPrefix` or an `argsPattern`, and not both
        `argsPattern` is no pattern: the pattern is not a regular expression: unclosed group
        `every` is no mode
        its priority has to be 950
        `denyMessage` is nothing that an approval has
        a rule for every call of `run_shell_command` would allow more than anybody was asked about
        it has to be one `[[rule]]` and nothing else
    "#]]
    .assert_eq(&format!("{}\n", refused.join("\n")));
}

#[test]
fn an_approval_of_a_tool_that_has_changed_takes_the_place_of_the_old_one() {
    let draft = |fingerprint: &str| Draft {
        tool: "t".to_owned(),
        server: Some("s".to_owned()),
        narrowing: Narrowing::WholeTool,
        described: Some(Described {
            annotation: TOOL_FINGERPRINT.to_owned(),
            fingerprint: fingerprint.to_owned(),
        }),
        ..npm(&[])
    };
    let text = merge("", &draft("one")).unwrap();
    assert!(
        text.contains("toolAnnotations = { polluxTool = \"one\" }"),
        "{text}"
    );
    assert_eq!(merge(&text, &draft("one")).unwrap(), text);
    assert_eq!(parse_draft(&text, &draft("one")), Ok(draft("one")));
    let changed = merge(&text, &draft("two")).unwrap();
    let rules = list(&changed).unwrap();
    assert_eq!(rules.len(), 1, "{changed}");
    assert_eq!(rules[0].described, draft("two").described);
    // One that a person wrote for whatever the tool says stays as wide.
    let by_hand = text.replace("toolAnnotations = { polluxTool = \"one\" }\n", "");
    assert_eq!(merge(&by_hand, &draft("two")).unwrap(), by_hand);
}
