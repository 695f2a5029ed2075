//! What bash really runs must have been seen.
//!
//! Random scripts are run where no program exists; bash reports each one that it does not find, with its arguments.
//! No text can be made of the pieces that names a file outside of the empty folder or a builtin that does harm.

use std::process::Stdio;

use proptest::prelude::*;

use super::*;

/// One write per command, for two of them may run at once.
const REPORT: &str = r#"command_not_found_handle() {
    local words
    printf -v words '%s\x1f' "$@"
    printf '%s\x1e' "$words" >> "$REPORT"
}
"#;

#[expect(clippy::disallowed_methods, reason = "the test waits for bash to end")]
fn run(script: &str) -> Vec<Vec<String>> {
    let outside = tempfile::tempdir().unwrap();
    let inside = tempfile::tempdir().unwrap();
    let report = outside.path().join("report");
    std::process::Command::new("/bin/bash")
        .args(["--norc", "--noprofile", "-c", &format!("{REPORT}{script}")])
        .env_clear()
        .env("PATH", "/nonexistent")
        .env("REPORT", &report)
        .env("LC_ALL", "C.UTF-8")
        .current_dir(inside.path())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let report = std::fs::read_to_string(report).unwrap_or_default();
    let lines = report.split_terminator('\x1e');
    lines
        .map(|line| line.split_terminator('\x1f').map(str::to_owned).collect())
        .collect()
}

/// Whether the command can have become these words.
fn explains(command: &Command, ran: &[String]) -> bool {
    let words: Option<Vec<&str>> = command.words.iter().map(Word::literal).collect();
    match words {
        Some(words) => words == ran,
        None => command.program() == ran.first().map(String::as_str),
    }
}

fn piece() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "zza",
        "zzb",
        "zzc",
        " ",
        " ",
        " ",
        " a",
        " b c",
        " 'a b'",
        " \"c d\"",
        " \\",
        "\\\n",
        "'",
        "\"",
        ";",
        " && ",
        " || ",
        " | ",
        " & ",
        "\n",
        "(",
        ")",
        " $(",
        "`",
        " \"$(",
        ")\"",
        "{ ",
        "; }",
        "if ",
        "; then ",
        "; else ",
        "; fi",
        "for v in a b; do ",
        "; done",
        " > f",
        " 2> f",
        " < f",
        " <<E\n",
        "\nE\n",
        " <<'E'\n",
        " <<-E\n\t",
        " <<< ",
        " $v",
        " ${v}",
        " ${v:-a}",
        " $((1+1))",
        " {a,b}",
        " *",
        " ~",
        " #",
        "#",
        " $'a\\x62'",
        "v=1 ",
        "! ",
        "case a in a) ",
        ";; esac",
        " [",
        "]",
        "eval ",
        "eval 'zza a'",
        "=",
        "$'zz\\x61'",
        "zz'a'",
        "zz\\a",
        "command ",
        "bash -c ",
        " <(",
        " >(",
        " 1",
        " 2>&1",
        " -",
        "[[ a == a ]]",
        "\t",
        " zza",
        "\nzzb",
    ])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn whatever_bash_runs_was_seen(pieces in prop::collection::vec(piece(), 2..12)) {
        let script = format!("zza {}", pieces.concat());
        if let Ok(parsed) = parse(&script) {
            for ran in run(&script) {
                let is_explained = parsed.commands.iter().any(|command| explains(command, &ran));

                prop_assert!(is_explained, "{script:?} ran {ran:?}, seen {:?}", parsed.commands);
            }
        }
    }
}

#[test]
fn the_report_names_what_ran() {
    let ran = run("zza 'a b' | zzb; (zzc $(zza x))");
    let mut shown: Vec<String> = ran.iter().map(|words| words.join("+")).collect();
    shown.sort();
    assert_eq!(shown, ["zza+a b", "zza+x", "zzb", "zzc"]);
}
