//! What can be said without a process. Real ones run in the tests of the whole crate.

use expect_test::expect;
use pollux_exec::{Captured, Cut, OutputKind, Spooled};

use super::*;
use crate::testing::MemoryScratch;

fn printed(text: &str) -> Captured {
    Captured {
        head: text.to_owned(),
        left_out: 0,
        tail: String::new(),
        total_bytes: text.len() as u64,
        kind: OutputKind::Text,
        file: None,
    }
}

fn ended(exit: Exit, text: &str) -> Ended {
    Ended {
        exit,
        output: printed(text),
        background: Vec::new(),
        group: 7,
        refused: Vec::new(),
    }
}

#[test]
fn tools_8_only_what_matters_is_told() {
    let told = |ended: &Ended| report::told(ended, &ended.output.head);
    assert_eq!(
        told(&ended(Exit::Code(1), "")),
        "Output: (empty)\nExit Code: 1"
    );
    assert_eq!(told(&ended(Exit::Code(0), "a\nb")), "Output: a\nb");
    assert_eq!(told(&ended(Exit::Signal(11), "a")), "Output: a\nSignal: 11");
    let mut left = ended(Exit::Code(0), "started");
    left.background = vec![8, 9];
    assert_eq!(
        told(&left),
        "Output: started\nBackground PIDs: 8, 9\nProcess Group PGID: 7"
    );
}

#[test]
fn tools_11_silence_is_told_in_minutes() {
    assert_eq!(
        report::silent_for(Duration::from_secs(300)),
        "Command was automatically cancelled because it exceeded the timeout of 5.0 minutes without output."
    );
}

#[test]
fn the_person_gets_a_few_words() {
    let mut said = [
        ended(Exit::Code(0), ""),
        ended(Exit::Code(0), "one\ntwo\n"),
        ended(Exit::Code(2), "abc"),
        ended(Exit::Signal(9), &"x".repeat(5_000)),
        ended(Exit::TimedOut, &"x".repeat(3_000_000)),
    ];
    // Of these nobody has seen everything.
    said[3].output.left_out = 1;
    said[4].output.left_out = 1;
    let said: Vec<String> = said.iter().map(report::summary).collect();
    expect![[r#"
        done, no output
        done, 2 lines of output
        exit code 2, 1 line of output
        ended by signal 9, 5 kB of output
        silent for too long, 2 MB of output"#]]
    .assert_eq(&said.join("\n"));
}

#[tokio::test]
async fn tools_10_a_long_output_is_shown_from_both_ends_and_is_whole_in_a_file() {
    let scratch = MemoryScratch::default();
    let text = format!("{}{}", "ä".repeat(50_000), "z".repeat(50_000));
    let output = printed(&format!("{text}\n"));
    let told = report::shortened(&output, 40_000, Some(&scratch), "tool-outputs/a.txt").await;
    let (head, tail) = ("ä".repeat(8_000), "z".repeat(32_000));
    let expected = format!(
        "Output too large. Showing first 8000 and last 32000 characters. For full output see: \
         /scratch/tool-outputs/a.txt\n{head}\n\n... [60000 characters omitted] ...\n\n{tail}"
    );
    assert!(told == expected, "{}", &told[..200]);
    assert!(scratch.files()["tool-outputs/a.txt"] == text);
}

#[tokio::test]
async fn an_output_of_just_the_length_is_told_whole_and_zero_means_no_limit() {
    let scratch = MemoryScratch::default();
    let output = printed(&"ä".repeat(40));
    for longest in [40, 0] {
        let told = report::shortened(&output, longest, Some(&scratch), "a").await;
        assert_eq!(told, "ä".repeat(40));
    }
    assert!(scratch.files().is_empty());
}

#[tokio::test]
async fn what_memory_could_not_hold_is_told_from_both_ends_as_well() {
    let output = Captured {
        head: "abcdefghij".to_owned(),
        left_out: 1_000,
        tail: "klmnopqrst\n".to_owned(),
        file: Some(Spooled {
            path: "/scratch/a.txt".into(),
            cut: Some(Cut::AtTheLimit),
        }),
        ..printed("")
    };
    let told = report::shortened(&output, 10, None, "a").await;
    expect![[r#"
        Output too large. Showing first 2 and last 8 characters. For full output see: /scratch/a.txt (its first part: the rest was too long)
        ab

        ... [1010 bytes omitted] ...

        mnopqrst"#]]
    .assert_eq(&told);
    let told = report::shortened(&output, 0, None, "a").await;
    assert!(
        told.contains("abcdefghij\n\n... [1000 bytes omitted] ...\n\nklmnopqrst"),
        "{told}"
    );
}

#[tokio::test]
async fn bytes_that_are_no_text_are_only_counted() {
    let mut output = printed("\u{1}\u{2}");
    output.kind = OutputKind::Binary;
    let told = report::shortened(&output, 10, None, "a").await;
    assert_eq!(told, "[Binary output: 2 bytes]");
}

#[test]
fn a_file_for_an_output_has_a_harmless_name() {
    let name = ShellSetup::output_name;
    assert_eq!(
        name(NAME, "../Call 1"),
        "tool-outputs/run_shell_command____call_1.txt"
    );
    assert_eq!(
        name(NAME, "run_shell_command-3"),
        "tool-outputs/run_shell_command-3.txt"
    );
}
