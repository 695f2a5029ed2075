//! The red team's table: every command gets exactly what stands beside it.

use std::path::{Component, Path, PathBuf};

use super::*;

const TABLE: &str = include_str!("../red_team.tsv");

pub(crate) struct Case {
    pub(crate) line: usize,
    pub(crate) expected: &'static str,
    pub(crate) command: String,
}

pub(crate) fn cases() -> Vec<Case> {
    let lines = TABLE
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|(index, line)| {
            let (expected, command) = line.split_once('\t').unwrap();
            Case {
                line: index + 1,
                expected,
                command: decoded(command),
            }
        })
        .collect()
}

fn decoded(command: &str) -> String {
    let mut text = command.replace('␤', "\n").replace('␉', "\t");
    while let Some((before, rest)) = text.split_once('⟦') {
        let (number, after) = rest.split_once('⟧').unwrap();
        let character = char::from_u32(u32::from_str_radix(number, 16).unwrap()).unwrap();
        text = format!("{before}{character}{after}");
    }
    text
}

/// A workspace that exists only here.
pub(crate) fn with_place<T>(use_it: impl FnOnce(&Place<'_>) -> T) -> T {
    let roots = [PathBuf::from("/home/ada/project")];
    use_it(&Place {
        cwd: Path::new("/home/ada/project"),
        roots: &roots,
        view: &|path: &Path| Some(followed(path)),
    })
}

fn followed(path: &Path) -> PathBuf {
    let links = [
        ("/home/ada/project/link-out", "/etc"),
        ("/home/ada/project/out", "/var"),
        ("/home/ada/project/secret-link", "/home/ada/project/.env"),
    ];
    let mut real = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                real.pop();
            }
            Component::CurDir => {}
            other => real.push(other),
        }
        if let Some((_, to)) = links.iter().find(|(from, _)| Path::new(from) == real) {
            real = PathBuf::from(to);
        }
    }
    real
}

pub(crate) fn verdict(command: &str) -> (&'static str, String) {
    match parse(command) {
        Err(error) => ("not-understood", error.reason),
        Ok(script) => match with_place(|place| judge(&script, place)) {
            Safety::KnownSafe => ("safe", String::new()),
            Safety::Ordinary => ("ordinary", String::new()),
            Safety::Dangerous { reason } => ("dangerous", reason),
        },
    }
}

#[test]
fn every_command_of_the_table_gets_what_it_must() {
    let cases = cases();
    assert!(
        cases.len() >= 330,
        "the table has shrunk to {}",
        cases.len()
    );
    let mismatches: Vec<String> = cases
        .iter()
        .filter_map(|case| {
            let (found, reason) = verdict(&case.command);
            let line = case.line;
            (found != case.expected).then(|| {
                format!(
                    "{line}: {:?} is {found} ({reason}), not {}",
                    case.command, case.expected
                )
            })
        })
        .collect();
    assert!(
        mismatches.is_empty(),
        "{} of {}:\n{}",
        mismatches.len(),
        cases.len(),
        mismatches.join("\n")
    );
}

/// What agents write every day should at least be understood, or a rule that allows it would be of no use.
#[test]
fn everyday_commands_are_understood() {
    for command in [
        "cd server && cargo test 2>&1 | tail -20",
        "git log --oneline | head -5 && git diff --stat",
        "for f in $(git ls-files '*.rs'); do wc -l \"$f\"; done",
        "python3 - <<'EOF'\nimport os\nprint(\"it's\", os.getcwd())\nEOF",
        "[ -f x ] && echo yes || echo no",
        "cat > file.txt <<'EOF'\nhello $x\nEOF",
        "find . -name \"*.py\" | xargs grep -n \"foo\"",
        "if [ -d node_modules ]; then npm test; else npm ci && npm test; fi",
        "export FOO=1; npm run build",
        "npm run build > build.log 2>&1; tail -50 build.log",
        "echo \"line1\nline2\"",
        "git add -A && git commit -m \"$(cat <<'EOF'\nA message\n\nwith lines\nEOF\n)\"",
        "sed -i 's/foo/bar/g' src/*.rs",
        "awk '{ print $1 }' f | sort | uniq -c | sort -rn | head",
        "test -z \"${VAR:-}\" && echo unset",
        "cargo fmt && \\\n  cargo clippy",
        "while read -r line; do echo \"$line\"; done < file",
        "RUST_LOG=debug cargo run -- --flag \"value with spaces\"",
        "CARGO_TARGET_DIR=/tmp/x cargo build",
        "kill $(lsof -t -i:3000)",
        "[[ -n \"$x\" && -f y ]] && echo z",
        "echo $((1 + 2))",
        "curl -s \"https://api.example.com/x?per_page=1&a=b\" | jq '.[0].name'",
        "(cd sub && make -j4) || exit 1",
        "npx tsc --noEmit; echo \"exit: $?\"",
        "grep -rn \"colour\" --include=\"*.ts\" src | wc -l",
        "docker compose up -d && docker compose logs -f --tail=10",
        "git stash push -m wip -- src/a.rs && git stash pop stash@{0}",
        "ls -la /tmp/*.log 2>/dev/null || true",
        "set -euo pipefail\n\ncd x\nnpm ci\nnpm test -- --run",
        "source .venv/bin/activate && pytest -q tests/test_a.py::test_b",
        "nohup npm start > out.log 2>&1 &",
        "case \"$1\" in start) npm start ;; *) echo no ;; esac",
        "printf '%s\\n' a b | sort -u",
        "node -e \"console.log(require('./package.json').version)\"",
        "diff <(git show HEAD:a) a",
    ] {
        assert_ne!(
            verdict(command).0,
            "not-understood",
            "{command}: {}",
            verdict(command).1
        );
    }
}
