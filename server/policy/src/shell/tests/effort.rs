//! What a command line can cost has a limit, counted in work and not in time.

use super::*;
use crate::shell::effort::{ALL, COMMAND, Effort};

/// As long as a command line may be.
const LONG: usize = 64 * 1024 - 100;

fn fill(part: &str) -> String {
    part.repeat(LONG / part.len())
}

/// Short pieces of many kinds, which are much work for somebody: for our reader, for the grammar, or for whoever
/// copies what a command knows of the text around it.
fn laborious() -> Vec<String> {
    let half = LONG / 2;
    let mut texts = vec![
        format!(
            "{{ {} }} <<<'{}'",
            "a;".repeat(half / 2),
            "x".repeat(half - 9)
        ),
        format!("{{ {} }} {}", "a;".repeat(half / 2), "<x ".repeat(half / 3)),
        format!("cd {}\n{}", "x".repeat(half), "a;".repeat(half / 2)),
        format!("{}a {}", "sudo ".repeat(15), "b ".repeat(half)),
        format!("case a in {} esac", "a) b;; ".repeat(LONG / 8)),
        format!("echo \"{}\"", fill("$(a) ")),
        format!("find . {}", "-exec a {} \\; ".repeat(LONG / 15)),
    ];
    for part in [
        "a;",
        "a|",
        "a&",
        "a\n",
        "a&&",
        "a <<E\nx\nE\n",
        "[ a ];",
        "[[ a ]];",
        "bash -c 'a b';",
        "xargs a;",
        "if a; then b; fi; ",
        "for a in b; do c; done; ",
        "a #b\n",
        "f() { a; }\n",
        "env A=b c;",
        "(a);",
        "{ a; };",
        "eval 'a;b;c';",
    ] {
        texts.push(format!("{}a", fill(part)));
    }
    for part in [
        "a ",
        "''",
        "$a",
        "${a}",
        "$(a) ",
        "$(a)",
        "`a` ",
        "<(a) ",
        "{a,b}",
        "$((1+1)) ",
        "[",
        "> b ",
        "2>&1 ",
        "'a'\"b\"",
    ] {
        texts.push(format!("echo {}", fill(part)));
    }
    texts
}

#[test]
fn what_is_too_much_work_is_not_understood_whatever_it_is_made_of() {
    for text in laborious() {
        assert!(text.len() <= 64 * 1024, "{}", text.len());
        let beginning: String = text.chars().take(40).collect();
        let refused = parse(&text).unwrap_err();
        let gave_up = refused.reason == Effort::REASON || refused.reason == "it defines a function";
        assert!(gave_up, "{beginning}: {}", refused.reason);
        assert!(unwrap::cost(&text) <= ALL, "{beginning}");
        let seen = glimpse(&text);
        assert!(seen.len() <= ALL / COMMAND, "{beginning}: {}", seen.len());
        let bytes: usize = seen.iter().map(size).sum();
        assert!(bytes < 8 * 1024 * 1024, "{beginning}: {bytes}");
    }
}

fn size(command: &Command) -> usize {
    let words: usize = command.words.iter().map(|word| word.text().len()).sum();
    let stdin = match &command.stdin {
        Stdin::Text(text) => text.len(),
        _ => 0,
    };
    let folder = match &command.folder {
        Folder::Maybe(folders) => folders.iter().map(String::len).sum(),
        _ => 0,
    };
    command.text.len() + words + stdin + folder
}

#[test]
fn what_is_merely_long_is_understood() {
    for text in [
        format!(
            "cat > a.md <<'E'\n{}E\n",
            "The quick $brown `fox` (jumps).\n".repeat(1_900)
        ),
        format!(
            "python3 - <<'E'\n{}E\n",
            "def f(a):\n    return a['x']\n".repeat(2_000)
        ),
        format!("git add {}", "src/some/folder/file_name.rs ".repeat(2_000)),
        format!("echo '{}'", "x y ".repeat(16_000)),
        format!("echo \"{}\"", "x y ".repeat(16_000)),
        "cargo build --release --locked && ls -la target\n".repeat(200),
    ] {
        let beginning: String = text.chars().take(40).collect();
        assert!(
            parse(&text).is_ok(),
            "{beginning}: {:?}",
            parse(&text).err()
        );
        assert!(
            unwrap::cost(&text) <= ALL * 2 / 3,
            "{beginning}: {}",
            unwrap::cost(&text)
        );
    }
}

#[test]
fn a_danger_behind_too_much_work_is_never_allowed() {
    let hidden = format!("{} rm -rf x", "a;".repeat(20_000));
    assert!(parse(&hidden).is_err());
}
