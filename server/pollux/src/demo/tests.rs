use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;

use expect_test::{Expect, expect};
use tempfile::TempDir;

use super::*;
use crate::policy::CommandEnvironment;

const RETRY: &str = include_str!("sample/src/retry.rs");
const UPLOAD: &str = include_str!("sample/src/upload.rs");

/// What the demo printed, readable while it runs and after it ended.
#[derive(Clone, Default)]
struct Paper(Arc<Mutex<Vec<u8>>>);

impl Write for Paper {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A person at a terminal, which echoes what is typed.
struct Typist {
    typed: Cursor<String>,
    paper: Paper,
}

impl Read for Typist {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut line = String::new();
        let length = self.typed.read_line(&mut line)?;
        self.paper.write_all(line.as_bytes())?;
        buffer[..length].copy_from_slice(line.as_bytes());
        Ok(length)
    }
}

/// A terminal that does something else than typing when its first line is asked for.
struct Surprise<F>(Option<F>);

impl<F: FnOnce() -> &'static str> Read for Surprise<F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.0.take() {
            Some(happens) => happens().as_bytes().read(buffer),
            None => Ok(0),
        }
    }
}

struct Stage {
    folder: TempDir,
    root: PathBuf,
    paper: Paper,
    interrupt: CancellationToken,
}

impl Stage {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        sample::write_into(folder.path()).unwrap();
        Self {
            root: fs::canonicalize(folder.path()).unwrap(),
            folder,
            paper: Paper::default(),
            interrupt: CancellationToken::new(),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    async fn play(&self, input: Input) -> ExitCode {
        let workspace = Workspace {
            root: self.root.clone(),
            kind: WorkspaceKind::Sample,
        };
        let screen = Screen::new(self.paper.clone(), Colour::Off);
        play(
            workspace,
            Equipment::default(),
            PolicyGate::shipped(self.root.clone(), CommandEnvironment::default()),
            Pace::Instant,
            input,
            screen,
            self.interrupt.clone(),
        )
        .await
        .unwrap()
    }

    async fn play_typed(&self, typed: &str) -> ExitCode {
        let typist = Typist {
            typed: Cursor::new(typed.to_owned()),
            paper: self.paper.clone(),
        };
        self.play(Input::from_reader(BufReader::new(typist))).await
    }

    fn printed(&self) -> String {
        String::from_utf8(self.paper.0.lock().unwrap().clone())
            .unwrap()
            .replace(self.root.to_str().unwrap(), "/sample")
    }

    fn check_printed(&self, expected: Expect) {
        expected.assert_eq(&self.printed());
    }

    /// Only a sample that nobody has written to is removed.
    fn check_removed(&self) {
        assert!(!self.root.exists());
        let told = "The sample is as it was, and its folder is removed again.\n";
        let printed = self.printed();
        assert!(printed.ends_with(told), "{printed}");
    }
}

#[tokio::test]
async fn exactly_the_kept_hunks_are_on_disk() {
    let stage = Stage::new();
    // Of the five hunks the second and the fourth; a wrong key asks again.
    let status = stage.play_typed("n\nperhaps\ny\nn\nYES\nq\n").await;
    assert_eq!(status, ExitCode::SUCCESS);
    assert_eq!(
        stage.text("src/retry.rs"),
        RETRY.replace("                attempt = 0;\n", "")
    );
    assert_eq!(
        stage.text("src/upload.rs"),
        UPLOAD.replace("chunks_exact", "chunks")
    );
    stage.check_printed(expect![[r#"
        Pollux demo in /sample

        ▌ Why does the upload retry for ever? Make the program do what its README says.

        This is the **demo model**: scripted, offline, without a key. It knows one small
        program by heart. The tools it calls, the edits it proposes and your decisions
        about them are real.

        First it reads the program.

        › Read src/retry.rs  66 lines
        › Read src/upload.rs  89 lines

        Thought: Comparing the code with the README

        The program does not do what its README says:

        - `src/retry.rs`: the attempt counter starts again after every pause, so the
          limit is never reached; the limit itself lets one attempt too many through.
        - `src/retry.rs`: the pause doubles without end, and overflows at the 33rd
          attempt.
        - `src/upload.rs`: `chunks_exact` leaves out the last part when it is shorter
          than the others.
        - `src/upload.rs`: a failed upload still ends with status 0.

        One edit for each follows. Nothing is written before you keep it, unless this
        session edits without asking.

        › Edit src/retry.rs: Stop after max_attempts attempts

        src/retry.rs  @@ -28,6 +28,6 @@  hunk 1 of 2
                 attempt += 1;
                 match action() {
                     Ok(value) => return Ok(value),
        -            Err(error) if attempt > policy.max_attempts => return Err(error),
        +            Err(error) if attempt >= policy.max_attempts => return Err(error),
                     Err(_) => {
                         pause(policy.pause_after(attempt));
        Keep this hunk? y yes, n no, a all, q quit, then Enter: n

        src/retry.rs  @@ -32,6 +32,5 @@  hunk 2 of 2
                     Err(_) => {
                         pause(policy.pause_after(attempt));
        -                attempt = 0;
                     }
                 }
             }
        Keep this hunk? y yes, n no, a all, q quit, then Enter: perhaps
          y  keep this hunk
          n  reject this hunk
          a  keep this hunk and the rest of this edit
          q  reject this hunk and everything after it
        Keep this hunk? y yes, n no, a all, q quit, then Enter: y
        ✓ 1 of 2 hunks kept, src/retry.rs written

        › Edit src/retry.rs: Limit the pause to longest_pause

        src/retry.rs  @@ -13,7 +13,9 @@  hunk 1 of 1
             /// The pause after the given attempt; attempts count from 1.
             pub fn pause_after(&self, attempt: u32) -> Duration {
                 let doublings = attempt.saturating_sub(1);
        -        self.first_pause * 2_u32.pow(doublings)
        +        self.first_pause
        +            .saturating_mul(2_u32.saturating_pow(doublings))
        +            .min(self.longest_pause)
             }
         }

        Keep this hunk? y yes, n no, a all, q quit, then Enter: n
        ✕ Nothing written to src/retry.rs: rejected

        › Edit src/upload.rs: Send the last, shorter part too

        src/upload.rs  @@ -22,7 +22,7 @@  hunk 1 of 1
             mut send: impl FnMut(&[u8]) -> Result<(), StoreError>,
         ) -> Result<usize, StoreError> {
             let mut sent = 0;
        -    for part in data.chunks_exact(PART_SIZE) {
        +    for part in data.chunks(PART_SIZE) {
                 retry::run(policy, std::thread::sleep, || send(part))?;
                 sent += 1;
             }
        Keep this hunk? y yes, n no, a all, q quit, then Enter: YES
        ✓ 1 of 1 hunk kept, src/upload.rs written

        › Edit src/upload.rs: End with status 1 when the upload fails

        src/upload.rs  @@ -37,8 +37,8 @@  hunk 1 of 1
                     0
                 }
                 Err(error) => {
        -            println!("upload failed: {error:?}");
        -            0
        +            eprintln!("upload failed: {error:?}");
        +            1
                 }
             }
         }
        Keep this hunk? y yes, n no, a all, q quit, then Enter: q
        ✕ Nothing written to src/upload.rs: you quit

        **2 of 5 hunks kept.**

        - `src/retry.rs`: 1 of 2 hunks kept, so this is fixed only in part.
        - `src/retry.rs`: rejected, so the pause doubles without end, and overflows at
          the 33rd attempt.
        - `src/upload.rs`: the last, shorter part is sent too.
        - `src/upload.rs`: rejected, so a failed upload still ends with status 0.

        Until every edit is in, `cargo test` fails.

        Done. Written: src/retry.rs and src/upload.rs.
        The sample stays for you to look at:
          cd /sample && cargo test
    "#]]);
}

#[tokio::test]
async fn the_end_of_the_input_writes_nothing_also_of_a_half_answered_edit() {
    let stage = Stage::new();
    // The first edit has two hunks: one answer is not enough.
    let status = stage.play_typed("y\n").await;
    assert_eq!(status, ExitCode::SUCCESS);
    stage.check_removed();
    let printed = stage.printed();
    let told = "✕ Nothing written to src/retry.rs: the input ended without an answer\n";
    assert!(printed.contains(told), "{printed}");
    assert!(
        printed.contains("Done. Nothing was written.\n"),
        "{printed}"
    );
}

#[tokio::test]
async fn without_a_terminal_nothing_is_asked_and_nothing_is_written() {
    let stage = Stage::new();
    let status = stage.play(Input::none()).await;
    assert_eq!(status, ExitCode::SUCCESS);
    stage.check_removed();
    let printed = stage.printed();
    let told = "✕ Nothing written to src/retry.rs: there is no terminal to answer from\n";
    assert!(printed.contains(told), "{printed}");
    assert!(!printed.contains("Keep this hunk?"), "{printed}");
}

#[tokio::test]
async fn a_file_that_changes_while_the_person_decides_is_left_alone() {
    let stage = Stage::new();
    let retry = stage.path("src/retry.rs");
    let typing = Surprise(Some(move || {
        fs::write(&retry, "typed meanwhile\n").unwrap();
        "a\na\na\n"
    }));
    let status = stage.play(Input::from_reader(BufReader::new(typing))).await;
    assert_eq!(status, ExitCode::SUCCESS);
    assert_eq!(stage.text("src/retry.rs"), "typed meanwhile\n");
    // The other file is not concerned.
    assert_ne!(stage.text("src/upload.rs"), UPLOAD);
    let printed = stage.printed();
    for told in [
        "✕ src/retry.rs: the file changed since it was read, so nothing was written\n",
        "- `src/retry.rs`: not changed: the file changed since it was read, so nothing\n  was written.\n",
        "Done. Written: src/upload.rs.\n",
    ] {
        assert!(printed.contains(told), "{printed}");
    }
}

#[tokio::test]
async fn ctrl_c_at_a_question_stops_the_turn_and_writes_nothing() {
    let stage = Stage::new();
    let interrupt = stage.interrupt.clone();
    let pressing = Surprise(Some(move || {
        interrupt.cancel();
        "y\n"
    }));
    let status = stage
        .play(Input::from_reader(BufReader::new(pressing)))
        .await;
    assert_eq!(status, ExitCode::from(130));
    stage.check_removed();
    let printed = stage.printed();
    assert!(
        printed.contains("Stopped. Nothing was written.\n"),
        "{printed}"
    );
}

#[tokio::test]
async fn in_a_strange_folder_the_demo_says_that_it_cannot_help() {
    let stage = Stage::new();
    fs::remove_file(stage.path("src/retry.rs")).unwrap();
    fs::write(stage.path("src/upload.rs"), "fn main() {}\n").unwrap();
    stage.play_typed("").await;
    let printed = stage.printed();
    for told in [
        "› Read src/retry.rs  ✕ there is no such file\n",
        "- `src/retry.rs`: there is no such file.\n",
        "Nothing was proposed.\n",
    ] {
        assert!(printed.contains(told), "{printed}");
    }
}

#[tokio::test]
async fn colours_mark_the_changed_words() {
    let stage = Stage::new();
    let workspace = Workspace {
        root: stage.root.clone(),
        kind: WorkspaceKind::Given,
    };
    let screen = Screen::new(stage.paper.clone(), Colour::On);
    let interrupt = CancellationToken::new();
    let equipment = Equipment::default();
    let played = play(
        workspace,
        equipment,
        PolicyGate::shipped(stage.root.clone(), CommandEnvironment::default()),
        Pace::Instant,
        Input::none(),
        screen,
        interrupt,
    );
    played.await.unwrap();
    let printed = stage.printed();
    let line = "\u{1b}[31m-\u{1b}[0m\u{1b}[31m    for part in data.\u{1b}[0m\u{1b}[31;7mchunks_exact\u{1b}[0m\u{1b}[31m(PART_SIZE) {\u{1b}[0m\n";
    assert!(printed.contains(line), "{printed}");
}

#[test]
fn the_environment_can_switch_colours_off() {
    let with = |variables: &[(&str, &str)]| super::colour(&variables.iter().copied().collect());
    assert_eq!(with(&[("TERM", "xterm")]), Colour::On);
    assert_eq!(with(&[("NO_COLOR", "")]), Colour::On);
    assert_eq!(with(&[("NO_COLOR", "1")]), Colour::Off);
    assert_eq!(with(&[("TERM", "dumb")]), Colour::Off);
}

#[tokio::test]
async fn the_sample_is_broken_before_and_right_after_keeping_everything() {
    let stage = Stage::new();
    let before = run_tests(stage.folder.path());
    assert!(before.contains("0 passed; 4 failed"), "{before}");
    stage.play_typed("a\na\na\na\n").await;
    let after = run_tests(stage.folder.path());
    assert!(after.contains("4 passed; 0 failed"), "{after}");
}

/// Compiles and runs the sample's own tests, as `cargo test` would, but without cargo's locks and lookups.
#[expect(
    clippy::disallowed_methods,
    reason = "a test of the sample needs a compiler; both processes end before this returns"
)]
fn run_tests(sample: &Path) -> String {
    let program = sample.join("upload-tests");
    let compiled = Command::new("rustc")
        .args(["--edition", "2021", "--test", "-o"])
        .args([&program, &sample.join("src/upload.rs")])
        .output()
        .unwrap();
    assert!(compiled.status.success(), "{compiled:?}");
    let output = Command::new(&program).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}
