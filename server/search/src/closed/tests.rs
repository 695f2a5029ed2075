use super::*;

fn closed(path: &str) -> Option<&'static str> {
    closed_segment(Path::new(path))
}

#[test]
fn behaviour_3_closed_names_are_closed_wherever_they_stand() {
    for (path, name) in [
        (".env", ".env"),
        ("node_modules/x/index.js", "node_modules"),
        ("a/b/.git/config", ".git"),
        ("./app/.git", ".git"),
        ("gha-creds-0123abcd.json", "gha-creds-*.json"),
        ("a/GHA-Creds-.JSON", "gha-creds-*.json"),
    ] {
        assert_eq!(closed(path), Some(name), "{path}");
    }
}

#[test]
fn behaviour_3_other_spellings_of_the_same_file_are_closed() {
    for (path, name) in [
        (".GIT/config", ".git"),
        (".git./config", ".git"),
        (".git . ./config", ".git"),
        (".env::$DATA", ".env"),
        (".git:stream/x", ".git"),
        (".git. :stream", ".git"),
        ("GIT~1/config", ".git"),
        ("git~12", ".git"),
        ("ENV~1", ".env"),
        ("NODE_M~1/x", "node_modules"),
        ("Node_Modules /x", "node_modules"),
        ("GHA-CR~1.JSO", "gha-creds-*.json"),
    ] {
        assert_eq!(closed(path), Some(name), "{path}");
    }
}

#[test]
fn names_that_only_look_alike_are_open() {
    for path in [
        "",
        "/",
        "..",
        ".gitignore",
        ".github/workflows/ci.yml",
        ".env.example",
        "env",
        "git",
        "git~",
        "git~x",
        "GIT~1.txt",
        "node_modules2",
        "gha-creds.json",
        "gha-creds-1.json.txt",
        "src/node.rs",
    ] {
        assert_eq!(closed(path), None, "{path}");
    }
}
