//! What holds for every policy and every call.

use proptest::prelude::*;
use serde_json::json;

use super::*;

const TOOLS: &[&str] = &[
    "read_file",
    "write_file",
    "run_shell_command",
    "mcp_a_b",
    "glob",
];
const COMMANDS: &[&str] = &[
    "ls",
    "git status",
    "git push && npm test",
    "rm -rf x",
    "echo (",
    "bash -c \"npm test\"",
    "ls > x",
    "npm test > .git/config",
    "$X y",
];
const CONDITIONS: &[&str] = &[
    "",
    "commandPrefix = \"git\"",
    "commandPrefix = [\"npm\", \"ls\"]",
    "commandRegex = \"n.*t\"",
    "argsPattern = 'x'",
    "argsPattern = '(?=x)'",
];

fn rule(tier_rank: u32) -> impl Strategy<Value = (Decision, String)> {
    let decisions = prop::sample::select(vec![Decision::Allow, Decision::Ask, Decision::Deny]);
    let tools = prop::sample::select(vec![
        "*",
        "mcp_*",
        "run_shell_command",
        "write_file",
        "glob",
    ]);
    let conditions = prop::sample::select(CONDITIONS.to_vec());
    let modes = prop::sample::select(vec!["", "modes = [\"yolo\"]", "interactive = true"]);
    (decisions, tools, conditions, modes, 0..tier_rank).prop_map(
        |(decision, tool, condition, modes, priority)| {
            let text = format!(
                "[[rule]]\ntoolName = \"{tool}\"\n{condition}\n{modes}\ndecision = \"{}\"\n\
                 priority = {priority}\n\n",
                decision.as_str()
            );
            (decision, text)
        },
    )
}

fn situation() -> impl Strategy<Value = (ApprovalMode, bool, &'static str, &'static str)> {
    (
        prop::sample::select(ApprovalMode::ALL.to_vec()),
        any::<bool>(),
        prop::sample::select(TOOLS.to_vec()),
        prop::sample::select(COMMANDS.to_vec()),
    )
}

fn decide(world: World, mode: ApprovalMode, headless: bool, tool: &str, text: &str) -> Verdict {
    let world = world.mode(mode);
    let world = if headless { world.headless() } else { world };
    world.verdict(tool, json!({"command": text, "file_path": text}))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn a_stronger_deny_never_makes_a_decision_freer(
        rules in prop::collection::vec(rule(900), 0..8),
        deny in rule(1),
        (mode, headless, tool, text) in situation(),
    ) {
        let without: String = rules.iter().map(|(_, text)| text.as_str()).collect();
        let deny = deny
            .1
            .replace("\"allow\"", "\"deny\"")
            .replace("\"ask_user\"", "\"deny\"")
            .replace("priority = 0", "priority = 999");
        let before = decide(World::user(&without), mode, headless, tool, text);
        let after = decide(World::user(&format!("{without}{deny}")), mode, headless, tool, text);
        prop_assert!(after.decision >= before.decision, "{before:?} became {after:?} by {deny}");
    }

    #[test]
    fn deciding_is_deterministic(
        rules in prop::collection::vec(rule(900), 0..8),
        (mode, headless, tool, text) in situation(),
    ) {
        let rules: String = rules.iter().map(|(_, text)| text.as_str()).collect();
        let first = decide(World::user(&rules), mode, headless, tool, text);
        let second = decide(World::user(&rules), mode, headless, tool, text);
        prop_assert_eq!(&first, &second);
        prop_assert!(!first.reason.is_empty());
    }
}

#[test]
fn an_unreadable_deny_asks_and_leaves_weaker_denials_alone() {
    let rule = |condition: &str, priority: u32| {
        format!(
            "[[rule]]\ntoolName = \"run_shell_command\"\n{condition}\ndecision = \"deny\"\n\
             priority = {priority}\n\n"
        )
    };
    let rules = rule("commandRegex = \"(?=x)\"", 200) + &rule("commandPrefix = \"curl\"", 100);
    let world = World::user(&rules).mode(ApprovalMode::Yolo);
    assert_eq!(world.shell("npm i"), Decision::Ask);
    assert_eq!(world.shell("npm i && curl x"), Decision::Deny);
    assert_eq!(world.write("src/a.rs"), Decision::Allow);
    let allowed_above = rule("commandPrefix = \"npm\"", 300).replace("deny", "allow");
    let world = World::user(&(allowed_above + &rules));
    assert_eq!(world.shell("npm i"), Decision::Allow);
}
