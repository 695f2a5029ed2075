use super::*;
use expect_test::expect;

fn custom(name: &str) -> CustomCommand {
    CustomCommand {
        name: name.to_owned(),
        description: "Does something".to_owned(),
        prompt: "Say {{args}}".to_owned(),
        source: CommandSource::User,
    }
}

#[test]
fn a_path_or_a_comment_is_a_prompt_and_a_name_is_a_command() {
    for prompt in [
        "/usr/bin is odd",
        "/home/u/file.txt explain",
        "//comment",
        "/* c */",
        "/",
        "/ help",
        "hello /help",
        "",
    ] {
        assert_eq!(invocation(prompt), None, "{prompt}");
    }
    let found = invocation(" /git:commit  a\n b ").unwrap();
    assert_eq!(found.name, "git:commit");
    assert_eq!(found.arguments, "a b");
}

#[test]
fn an_unknown_name_is_told_with_the_nearest_ones() {
    let known = ["help", "compress", "memory", "model"].map(str::to_owned);
    expect!["There is no command `/halp`. The nearest are `/help`, `/model`, `/memory`; `/help` lists all."]
        .assert_eq(&invocation::unknown("halp", known.into()));
}

#[test]
fn the_list_has_our_own_commands_first_and_says_where_the_others_are_from() {
    let list = command_list(&[custom("greet")], &crate::Offering::default());
    let last = list.last().unwrap();
    assert_eq!(
        (last.name.as_str(), last.source),
        ("greet", CommandSource::User)
    );
    assert_eq!(last.arguments.as_deref(), Some("arguments"));
    let names: Vec<&str> = built_in_names().collect();
    let mut sorted = names.clone();
    sorted.sort_unstable();
    assert_eq!(names, sorted);
}

#[test]
fn arguments_are_one_word_of_a_shell_command_and_plain_elsewhere() {
    assert_eq!(
        shell_with_arguments("echo {{args}}", "a; rm b"),
        "echo 'a; rm b'"
    );
    assert_eq!(shell_with_arguments("echo {{args}}", ""), "echo ");
    assert_eq!(with_arguments("Say {{args}}", "a; b"), "Say a; b");
}
