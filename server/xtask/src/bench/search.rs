//! `bench search`: a search in a large tree, against ripgrep on the same tree with as many threads.
//!
//! Ours is timed inside its process, because that is how a tool runs it; ripgrep from its start to its end, because
//! that is what starting it costs. Both are asked in turn.

mod tree;

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::figures::{Times, milliseconds, ratio};
use super::start::progress;
use super::table::{Table, Target};
use crate::{shell, tidy};

const ROUNDS: usize = 11;
const RATIO_TARGET: f64 = 1.2;

/// The same question in two languages.
struct Question {
    what: &'static str,
    ours: String,
    ripgrep: Vec<&'static str>,
}

pub(super) fn measure() -> Result<Table> {
    if !shell::answers(shell::program("rg").arg("--version")) {
        bail!(
            "ripgrep is missing, which this is compared with; please install it (Debian and Ubuntu: \
             `apt-get install ripgrep`, macOS: `brew install ripgrep`)"
        );
    }
    shell::run(shell::cargo().args([
        "build",
        "--release",
        "--package",
        "pollux-search",
        "--example",
        "timed",
    ]))?;
    let program = tidy::target_folder()?.join(format!(
        "release/examples/timed{}",
        std::env::consts::EXE_SUFFIX
    ));
    let folder = tree::make()?;
    let threads = std::thread::available_parallelism()?.get().min(12);
    let mut ours = Ours::start(&program, &folder, threads)?;

    let mut table = Table::beside(vec!["ripgrep".to_owned()]);
    for question in questions() {
        let (mut our_times, mut their_times) = (Times::default(), Times::default());
        for round in 0..=ROUNDS {
            let (our_time, our_count) = ours.ask(&question.ours)?;
            let (their_time, their_count) = ask_ripgrep(&folder, threads, &question.ripgrep)?;
            if our_count != their_count {
                bail!(
                    "`{}` came to {our_count}, but ripgrep to {their_count}",
                    question.ours
                );
            }
            // Not measured: the first round also pays for what is not in memory yet.
            if round > 0 {
                progress(question.what, round - 1, ROUNDS);
                our_times.add(our_time);
                their_times.add(their_time);
            }
        }
        let (our_time, their_time) = (our_times.median(), their_times.median());
        table.row(
            format!("{}, {} files", question.what, tree::FILES),
            milliseconds(our_time),
            Some(ratio(our_time, their_time)),
            Target::Ratio(RATIO_TARGET),
        );
        table.peers(vec![milliseconds(their_time)]);
    }
    ours.stop()?;
    Ok(table)
}

fn questions() -> Vec<Question> {
    let grep = |what, pattern| Question {
        what,
        ours: format!("grep {pattern}"),
        ripgrep: vec!["--ignore-case", "--line-number", "--regexp", pattern],
    };
    vec![
        grep("grep, a rare word", tree::NEEDLE),
        grep("grep, a rare expression", tree::NEEDLE_EXPRESSION),
        Question {
            what: "glob **/*",
            ours: "glob **/*".to_owned(),
            ripgrep: vec!["--files"],
        },
        Question {
            what: "glob **/*.rs",
            ours: "glob **/*.rs".to_owned(),
            ripgrep: vec!["--files", "--iglob", "*.rs"],
        },
    ]
}

/// From start to end, with its output read and counted; one line is one match or one file.
fn ask_ripgrep(folder: &Path, threads: usize, arguments: &[&str]) -> Result<(Duration, usize)> {
    let mut command = shell::program("rg");
    command
        .args([
            "--no-config",
            "--hidden",
            "--no-ignore-global",
            "--no-ignore-dot",
        ])
        .args(["--no-messages", "--threads", &threads.to_string()])
        .args(arguments)
        .arg(folder);
    let begin = Instant::now();
    let output = command.stdin(Stdio::null()).output()?;
    let elapsed = begin.elapsed();
    // One means that nothing was found.
    if !matches!(output.status.code(), Some(0 | 1)) {
        bail!("ripgrep ended with {}", output.status);
    }
    let lines = output.stdout.iter().filter(|byte| **byte == b'\n').count();
    Ok((elapsed, lines))
}

/// Our search, in a process that lives through all rounds as the host does.
struct Ours {
    child: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Ours {
    fn start(program: &PathBuf, folder: &Path, threads: usize) -> Result<Self> {
        let mut child = shell::program(program)
            .arg(folder)
            .arg(threads.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| program.display().to_string())?;
        let questions = child.stdin.take().context("the child has no stdin")?;
        let answers = child.stdout.take().context("the child has no stdout")?;
        Ok(Self {
            child,
            questions,
            answers: BufReader::new(answers),
        })
    }

    fn ask(&mut self, question: &str) -> Result<(Duration, usize)> {
        writeln!(self.questions, "{question}")?;
        self.questions.flush()?;
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        let (nanoseconds, count) = line
            .trim()
            .split_once(' ')
            .with_context(|| format!("no answer to `{question}`: `{line}`"))?;
        Ok((Duration::from_nanos(nanoseconds.parse()?), count.parse()?))
    }

    fn stop(mut self) -> Result<()> {
        drop(self.questions);
        let status = self.child.wait()?;
        if !status.success() {
            bail!("the search ended with {status}");
        }
        Ok(())
    }
}
