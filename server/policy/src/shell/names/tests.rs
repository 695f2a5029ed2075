use super::*;
use crate::shell::parse;

#[test]
fn programs_are_named_once_and_in_order() {
    let script =
        parse("git status && /usr/bin/grep x f | head; sudo bash -c 'git log; ls'").unwrap();
    assert_eq!(
        root_commands(&script),
        ["git", "grep", "head", "sudo", "bash", "ls"]
    );
}

#[test]
fn substitutions_are_found_where_bash_sees_them() {
    for command in [
        "echo $(id)",
        "echo \"$(id)\"",
        "echo `id`",
        "echo \"`id`\"",
        "cat <(id)",
        "ls > >(id)",
        "echo '' $(id)",
        "echo \\\\$(id)",
        "cat <<E\nit's $(id)\nE",
        "ls # it's\necho $(id)",
        "echo \"'$(id)'\"",
        "echo $'\\'' $(id)",
        "$x $(id",
        "cat <<E\n'`id`'\nE",
        "echo ${x:-$(id)}",
        "((x)) `id`",
    ] {
        assert!(has_substitution(command), "{command}");
    }
    for command in [
        "ls",
        "echo '$(id)'",
        "echo '`id`'",
        "echo \\$\\(id\\)",
        "echo \\`id\\`",
        "echo \"\\$(id)\"",
        "echo \"<(id)\"",
        "echo $HOME",
        "cat <<'E'\n$(id)\nE",
        "ls # $(id)",
        "echo $'$(id)'",
        "bash -c 'echo $(id)'",
        "echo $((1+2))",
        "echo '<(x)' ${y@P}",
    ] {
        assert!(!has_substitution(command), "{command}");
    }
}
