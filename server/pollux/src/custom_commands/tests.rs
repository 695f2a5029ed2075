use super::*;

fn written(folder: &Path, files: &[(&str, &str)]) -> Vec<CustomCommand> {
    for (path, text) in files {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    read(folder, CommandSource::User)
}

#[test]
fn files_are_named_by_their_paths_and_broken_ones_are_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let found = written(
        folder.path(),
        &[
            (
                "git/commit.toml",
                "prompt = 'Write it'\ndescription = 'A\tcommit'",
            ),
            ("a b.toml", "prompt = \"Say {{args}}\""),
            ("broken.toml", "prompt = "),
            ("empty.toml", "description = 'nothing'"),
            ("note.txt", "prompt = 'no'"),
        ],
    );
    let shown: Vec<(&str, &str)> = found
        .iter()
        .map(|command| (command.name.as_str(), command.description.as_str()))
        .collect();
    assert_eq!(
        shown,
        [
            ("a_b", "Custom command from a b.toml"),
            ("git:commit", "A commit"),
        ]
    );
}

#[test]
fn names_that_are_taken_say_where_they_are_from() {
    let command = |name: &str, source: CommandSource| CustomCommand {
        name: name.to_owned(),
        description: String::new(),
        prompt: String::new(),
        source,
    };
    let named = named(vec![
        command("help", CommandSource::User),
        command("x", CommandSource::User),
        command("y", CommandSource::User),
        command("x", CommandSource::Workspace),
    ]);
    let names: Vec<&str> = named.iter().map(|command| command.name.as_str()).collect();
    assert_eq!(names, ["user.help", "user.x", "workspace.x", "y"]);
}

#[cfg(unix)]
#[test]
fn a_link_in_a_circle_ends() {
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(folder.path(), folder.path().join("again")).unwrap();
    let found = written(folder.path(), &[("x.toml", "prompt = 'x'")]);
    assert!(found.len() <= DEEPEST + 1, "{}", found.len());
    assert_eq!(
        found.first().map(|command| command.prompt.as_str()),
        Some("x")
    );
}
