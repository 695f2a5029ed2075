use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::*;

fn read_text(text: &str) -> Read {
    read(Path::new("/a.md"), text, AgentOrigin::User)
}

fn problems(text: &str) -> String {
    let problems = read_text(text).problems;
    let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
    lines.join("\n")
}

fn check_head(head: &str, expected: Expect) {
    expected.assert_eq(&problems(&format!("---\n{head}\n---\nBody\n")));
}

#[test]
fn everything_that_can_be_said_is_read() {
    let text = "---\nkind: local\nname: code-reviewer_2\ndescription: >\n  Reads what\n  changed.\n\
                display_name: Reviewer\ntools: [read_file, search_file_content, 'mcp_*', mcp_github_*, mcp_github_get_issue, \
                discovered_tool_lint, '*']\nmodel: gemini-3-pro\ntemperature: 0.2\nmax_turns: 7\ntimeout_mins: 3\n---\n\n\
                You review.\n\n";
    let read = read_text(text);
    assert_eq!(read.problems, []);
    let agent = read.agent.unwrap();
    assert_eq!(agent.name, "code-reviewer_2");
    assert_eq!(agent.display_name.as_deref(), Some("Reviewer"));
    assert_eq!(agent.description, "Reads what changed.\n");
    assert_eq!(agent.instructions, "You review.");
    assert_eq!(agent.tools.unwrap().len(), 7);
    assert_eq!(agent.model.as_deref(), Some("gemini-3-pro"));
    assert_eq!(agent.temperature, Some(0.2));
    assert_eq!(agent.max_turns, Some(7));
    assert_eq!(agent.max_time, Some(Duration::from_secs(180)));
}

#[test]
fn what_is_not_said_is_left_to_whoever_runs_it() {
    let text = "---\r\nname: a\r\ndescription: b\r\nmodel: inherit\r\n---\r\n";
    let agent = read_text(text).agent.unwrap();
    assert_eq!(agent.instructions, "");
    assert_eq!((agent.tools, agent.model), (None, None));
    assert_eq!((agent.max_turns, agent.max_time), (None, None));
}

/// `printf '---\nname: a\ndescription: b\n---\n' | sha256sum`
#[test]
fn the_hash_is_that_of_the_whole_file() {
    let text = "---\nname: a\ndescription: b\n---\n";
    let hash = |text: &str| read_text(text).agent.unwrap().hash;
    assert_eq!(
        hash(text),
        "a98e4e3c6591006048de00b4ec52ad408c39cbaf09f591f4f620ea6a17cbfe3e"
    );
    assert_ne!(hash(text), hash(&format!("{text}more")));
}

#[test]
fn a_file_without_a_head_says_how_to_begin_one() {
    expect!["/a.md: no description of an agent stands at its beginning (begin with a line `---`, then `name:` and `description:`, then a line `---`)"].assert_eq(&problems("You are an agent.\n"));
}

#[test]
fn broken_yaml_is_shown_where_it_stands_in_the_file() {
    check_head(
        "name: a\ndescription: one: two",
        expect!["/a.md:3:17: YAML: mapping values are not allowed in this context"],
    );
}

#[test]
fn keys_are_taken_strictly() {
    check_head(
        "name: a\ndescription: b\nmcpServers: {}\ncolor: red",
        expect![[r#"
            /a.md: Validation failed: Agent Definition:
            Unrecognized key(s) in object: 'mcpServers', 'color'"#]],
    );
}

#[test]
fn all_that_is_wrong_is_said_at_once_and_no_value_with_it() {
    check_head(
        "kind: distant\nname: My Agent\ndescription: ''\ndisplay_name: 3\ntools: [bogus, 3, codebase_investigator]\n\
         model: [secret]\ntemperature: warm\nmax_turns: 0\ntimeout_mins: 1.5",
        expect![[r#"
            /a.md: Validation failed: Agent Definition:
            kind: Expected 'local'
            name: must be made of a-z, 0-9, `-` and `_`
            description: must say something
            display_name: Expected string, received number
            tools.0: Invalid tool name
            tools.1: Expected string, received number
            tools.2: Invalid tool name
            model: Expected string, received array
            temperature: Expected number, received string
            max_turns: must be a whole number above zero
            timeout_mins: must be a whole number above zero"#]],
    );
    check_head(
        "tools: read_file",
        expect![[r#"
        /a.md: Validation failed: Agent Definition:
        name: Required
        description: Required
        tools: Expected array, received string"#]],
    );
    check_head(
        "just words",
        expect![[r#"
        /a.md: Validation failed: Agent Definition:
        Expected object"#]],
    );
}

#[test]
fn servers_are_named_and_the_agent_loads_without_them() {
    let text = "---\nname: a\ndescription: b\nmcp_servers:\n  docs:\n    command: run\n    env: {KEY: secret}\n---\n";
    assert!(read_text(text).agent.is_some());
    expect!["/a.md: the servers of agent a are not started (docs): Pollux starts those of the settings only"].assert_eq(&problems(text));
}

#[test]
fn remote_agents_are_recognised_and_not_called() {
    check_head(
        "kind: remote\nname: far\nagent_card_url: https://example.com/card",
        expect!["/a.md: far is a remote agent: Pollux does not call remote agents yet"],
    );
    check_head(
        "name: far\nagent_card_url: https://example.com/card",
        expect!["/a.md: far is a remote agent: Pollux does not call remote agents yet"],
    );
    check_head(
        "- name: one\n  agent_card_url: https://example.com/1\n- kind: remote\n  name: two\n  agent_card_json: '{}'",
        expect!["/a.md: one, two are remote agents: Pollux does not call remote agents yet"],
    );
}

#[test]
fn a_list_with_a_local_agent_is_refused_whole() {
    check_head(
        "- name: one\n  agent_card_url: https://example.com/1\n- name: two\n  description: here\n- 3",
        expect![[r#"
            /a.md: Validation failed: Remote Agents List:
            1: (Local Agent) a list describes remote agents only
            2: (Remote Agent) Expected object"#]],
    );
    check_head(
        "[]",
        expect![[r#"
        /a.md: Validation failed: Remote Agents List:
        the list is empty"#]],
    );
}

#[test]
fn a_key_of_both_kinds_makes_an_agent_local() {
    check_head(
        "name: a\ndescription: b\nmodel: m\nagent_card_url: https://example.com",
        expect![[r#"
            /a.md: Validation failed: Agent Definition:
            Unrecognized key(s) in object: 'agent_card_url'"#]],
    );
}

#[test]
fn a_head_that_is_far_too_long_is_not_looked_at() {
    let head = format!("name: a\ndescription: {}", "b".repeat(LONGEST_HEAD));
    check_head(&head, expect!["/a.md: its head is larger than 64 KiB"]);
}

proptest! {
    #[test]
    fn arbitrary_heads_never_panic_and_come_to_an_agent_or_a_problem(
        head in r#"((name|description|tools|kind|max_turns|mcp_servers|auth|x): ?([a-z_*]{0,9}|[0-9.\-]{1,4}|\[[a-z_, ]{0,20}\]|\{[a-z:, ]{0,9}\})\r?\n){0,6}"#,
        body in "[^-]{0,20}",
    ) {
        let read = read_text(&format!("---\n{head}---\n{body}"));
        prop_assert!(read.agent.is_some() || !read.problems.is_empty());
        for problem in &read.problems {
            prop_assert!(!problem.message.is_empty());
        }
    }

    #[test]
    fn arbitrary_text_never_panics(text in any::<String>()) {
        read_text(&text);
    }
}
