use expect_test::expect;

use super::*;

#[test]
fn a_leading_exclamation_mark_is_a_command() {
    let shell = |command: &str| Input::Shell(command.to_owned());
    let prompt = |text: &str| Input::Prompt(text.to_owned());
    for (typed, expected) in [
        ("!ls -l", shell("ls -l")),
        ("  ! git status \n", shell("git status")),
        ("!", Input::ShellToggle),
        (" ! ", Input::ShellToggle),
        ("run !ls", prompt("run !ls")),
        ("", prompt("")),
        (" hi ", prompt(" hi ")),
    ] {
        assert_eq!(Input::parse(typed), expected, "{typed:?}");
    }
}

#[test]
fn the_model_is_told_command_and_output_in_blocks_they_cannot_close() {
    expect![[r#"
        I ran this command:
        ```sh
        echo \`x\`
        ```

        Its output:
        ```
        a\\b
        \`\`\`
        ```"#]]
    .assert_eq(&shell_message("echo `x`", "a\\b\n```"));
}

#[test]
fn long_output_is_cut() {
    let text = shell_message("yes", &"ä".repeat(MAX_SHELL_OUTPUT_CHARS + 1));
    assert!(text.ends_with("ä\n... (truncated)\n```"));
    assert_eq!(text.matches('ä').count(), MAX_SHELL_OUTPUT_CHARS);
}
