use expect_test::expect;

use super::super::registry::tests::Disk;
use super::*;

fn registry(disk: &Disk) -> Registry {
    Registry::load(&disk.loaded(), &disk.folder)
}

#[test]
fn agents_are_listed_with_where_they_are_from_and_how_they_stand() {
    let disk = Disk::new();
    disk.user("mine", "model: m\n");
    disk.project("theirs", "");
    disk.project("broken", "colour: red\n");
    disk.settings(r#"{"agents": {"overrides": {"generalist": {"enabled": false}}}}"#);
    let text = list(&registry(&disk), &disk.folder);
    let text = text.replace(&disk.folder.display().to_string(), "<project>");
    let short: Vec<String> = text
        .lines()
        .map(|line| line.chars().take(90).collect())
        .collect();
    expect![[r#"
        - `codebase_investigator` (built in, on): Finds out how something in this code base works,
        - `generalist` (built in, off): Does a self-contained job with all your tools in a convers
        - `mine` (yours, on, asks m): about mine

        This project brings agents that nobody has acknowledged, and the model is not told of them
        - `theirs` (`.gemini/agents/theirs.md`): about theirs

        Read their files; then `/agents acknowledge <agent>` or `/agents acknowledge all`.

        What could not be used:
        - <project>/.gemini/agents/broken.md: Validation failed: Agent Definition:
          Unrecognized key(s) in object: 'colour'"#]]
    .assert_eq(&short.join("\n"));
}

#[test]
fn a_reload_says_what_has_changed() {
    let disk = Disk::new();
    disk.user("old", "");
    disk.user("kept", "");
    disk.user("edited", "");
    let before = registry(&disk);
    disk.user("edited", "max_turns: 2\n");
    disk.user("new", "");
    disk.user("broken", "colour: red\n");
    disk.project("theirs", "");
    disk.remove_user("old");
    expect!["5 sub-agents can be asked. New: `theirs`, `new`. Changed: `edited`. Gone: `old`. Not acknowledged: `theirs`. 1 file could not be used; `/agents` says why."].assert_eq(&reloaded(Some(&before), &registry(&disk)));
}

#[test]
fn what_somebody_else_wrote_stays_in_its_line() {
    assert_eq!(one_line("a\n\n# b\u{1b}[31m\tc"), "a # b[31m c");
    let long = one_line(&"x".repeat(1000));
    assert_eq!(long.chars().count(), LONGEST_DESCRIPTION + 1);
}
