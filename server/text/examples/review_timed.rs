//! Does what a review does with large files and says how long it took: one half of `cargo xtask bench review`.
//!
//! `review_timed <folder>` writes the texts to compare into the folder, waits for a line, and then prints lines of a name
//! and a number: nanoseconds, or a ratio of bytes for `memory`.

#![expect(
    clippy::print_stdout,
    reason = "the answers are read by the bench from the standard output"
)]

use std::hint::black_box;
use std::ops::Range;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use std::{env, fs, io};

use pollux_text::{Origin, Review, hunks};

const LINES: usize = 100_000;
const ROUNDS: usize = 7;
const FILES: usize = 32;
const ORIGIN: Origin = Origin(1);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = env::args_os().nth(1).ok_or("review_timed <folder>")?;
    let folder = PathBuf::from(folder);
    let mut noise = Noise(1);
    let base = text(&mut noise, |_| None);
    let few = text(&mut Noise(1), |line| {
        (line % 10_000 == 500).then_some("changed")
    });
    let many = text(&mut Noise(1), |line| (line % 10 == 5).then_some("changed"));
    let other = text(&mut noise, |_| None);
    for (name, text) in [("base", &base), ("few", &few), ("other", &other)] {
        fs::write(folder.join(name), text)?;
    }
    println!("ready");
    io::stdin().read_line(&mut String::new())?;

    // First, because what other measurements leave behind would be counted too.
    println!("memory {}", memory(&base)?);
    for (name, text) in [("few", &few), ("many", &many), ("other", &other)] {
        let time = median(|| {
            let begin = Instant::now();
            black_box(hunks(&base, text));
            begin.elapsed()
        });
        println!("{name} {}", time.as_nanos());
    }
    let one = base.replacen("fn item_300_", "fn changed_", 1);
    println!("keystroke {}", keystroke(&base, &one).as_nanos());
    println!("shift {}", keystroke(&base, &many).as_nanos());
    let mut rejected = Review::new(base.as_str());
    rejected.agent_edit(&base, &many, ORIGIN);
    let time = median(|| {
        let mut review = rejected.clone();
        let begin = Instant::now();
        black_box(review.reject_all());
        begin.elapsed()
    });
    println!("reject {}", time.as_nanos());
    let time = median(|| {
        let mut review = Review::new(base.as_str());
        let begin = Instant::now();
        black_box(review.agent_edit(&base, &many, ORIGIN));
        begin.elapsed()
    });
    println!("edit {}", time.as_nanos());
    Ok(())
}

/// A person types a letter, and the hunks are asked for.
fn keystroke(base: &str, proposed: &str) -> Duration {
    let mut review = Review::new(base);
    review.agent_edit(base, proposed, ORIGIN);
    let mut at = 40;
    median(|| {
        // Whoever shows the review holds on to the last one.
        let shown = review.clone();
        let begin = Instant::now();
        review.splice(at..at, "x");
        let lines: Vec<Range<usize>> = review.hunks().map(|hunk| hunk.current_lines()).collect();
        black_box(lines);
        let elapsed = begin.elapsed();
        drop(shown);
        at += 1;
        elapsed
    })
}

/// Bytes that a pending file takes for each byte of its text.
fn memory(text: &str) -> Result<f64, Box<dyn std::error::Error>> {
    let before = resident()?;
    let mut reviews = Vec::new();
    for file in 0..FILES {
        let proposed = text.replacen("fn item_", &format!("fn changed_{file}_"), 10);
        let mut review = Review::new(text);
        review.agent_edit(text, &proposed, ORIGIN);
        reviews.push(review);
    }
    let grown = resident()?.saturating_sub(before);
    black_box(&reviews);
    Ok(grown as f64 / (text.len() * FILES) as f64)
}

/// Bytes of memory that this process has.
fn resident() -> Result<usize, Box<dyn std::error::Error>> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let number = line.and_then(|line| line.split_whitespace().next());
    Ok(number.ok_or("no VmRSS")?.parse::<usize>()? * 1024)
}

fn median(mut measure: impl FnMut() -> Duration) -> Duration {
    let mut times: Vec<Duration> = (0..ROUNDS).map(|_| measure()).collect();
    times.sort();
    times.get(ROUNDS / 2).copied().unwrap_or_default()
}

/// Something like a source file: a third of its lines are like no other.
fn text(noise: &mut Noise, changed: impl Fn(usize) -> Option<&'static str>) -> String {
    const WORDS: [&str; 8] = [
        "let", "value", "match", "error", "return", "string", "number", "folder",
    ];
    let mut text = String::new();
    for line in 0..LINES {
        let number = noise.below(1_000_000);
        let count = noise.below(8) + 2;
        let words: Vec<&str> = (0..count)
            .filter_map(|_| WORDS.get(noise.below(WORDS.len())).copied())
            .collect();
        match (changed(line), line % 3, line % 7) {
            (Some(word), ..) => text += &format!("{word} {line}\n"),
            (None, 0, _) => text += &format!("fn item_{line}_{number}() {{\n"),
            (None, _, 0) => text += "}\n",
            (None, ..) => text += &format!("    {};\n", words.join(" ")),
        }
    }
    text
}

/// The same numbers in every run.
struct Noise(u64);

impl Noise {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or_default() % bound
    }
}
