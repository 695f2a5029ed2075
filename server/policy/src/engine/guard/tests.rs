use super::*;

fn kind(path: &str) -> Option<Kind> {
    guarded(Path::new(path)).map(|guarded| guarded.kind)
}

#[test]
fn build_files_are_known_by_name() {
    for path in [
        "Cargo.lock",
        "a/BUILD",
        "x.cmake",
        "Makefile",
        "Containerfile.x",
        "GO.MOD",
    ] {
        assert_eq!(kind(path), Some(Kind::Build), "{path}");
    }
    for path in [
        "build",
        "src/workspace",
        "package.json.md",
        "Dockerfile2",
        "mk",
    ] {
        assert_eq!(kind(path), None, "{path}");
    }
}

#[test]
fn plans_are_not_guarded_and_nothing_else_beside_them_is_free() {
    assert_eq!(kind("/home/u/.gemini/tmp/a/plans/p.md"), None);
    assert_eq!(kind("/home/u/.gemini/tmp/a/s/plans/p.md"), None);
    assert_eq!(
        kind("/home/u/.gemini/tmp/a/plans/p.sh"),
        Some(Kind::Configuration)
    );
    assert_eq!(
        kind("/home/u/.gemini/tmp/a/chats/p.md"),
        Some(Kind::Configuration)
    );
    assert_eq!(kind(".git/.gemini/tmp/a/plans/p.md"), None);
}

#[test]
fn names_of_tools_tell_what_writes() {
    for word in ["write", "writeFile", "Edit", "strReplace"] {
        assert!(names_writing(word), "{word}");
    }
    for word in ["read", "rewriteless", "credit"] {
        assert!(!names_writing(word), "{word}");
    }
}
