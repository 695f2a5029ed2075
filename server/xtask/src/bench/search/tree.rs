//! A large tree, the same every time: nested, a tenth of it ignored, a tenth of it binary.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::bench::start::progress;

pub(super) const FILES: usize = PACKAGES * MODULES * PARTS * NAMES.len();

/// In one file of every package of ten.
pub(super) const NEEDLE: &str = "needleinthetree";
pub(super) const NEEDLE_EXPRESSION: &str = r"needle\w+tree";

const PACKAGES: usize = 40;
const MODULES: usize = 25;
const PARTS: usize = 20;
const NAMES: [&str; 10] = [
    "main.rs",
    "state.rs",
    "view.ts",
    "model.ts",
    "notes.md",
    "data.json",
    "tool.py",
    "object.o",
    "picture.bin",
    ".settings",
];

const WORDS: [&str; 16] = [
    "let", "value", "match", "error", "return", "string", "number", "folder", "search", "queue",
    "token", "range", "line", "buffer", "state", "model",
];

/// Kept between runs, because making it takes longer than the bench. The name changes with what is in it.
pub(super) fn make() -> Result<PathBuf> {
    let folder = std::env::temp_dir().join(format!("pollux-bench-search-{FILES}-1"));
    // Beside the tree: ripgrep would count a file in `.git`, which is closed to ours.
    let done = folder.with_extension("complete");
    if done.exists() {
        return Ok(folder);
    }
    println!("      making {FILES} files in {}", folder.display());
    fs::create_dir_all(folder.join(".git")).with_context(|| folder.display().to_string())?;
    fs::write(folder.join(".gitignore"), "*.o\n/out/\n")?;
    let mut noise = Noise(1);
    for package in 0..PACKAGES {
        progress("packages", package, PACKAGES);
        for module in 0..MODULES {
            for part in 0..PARTS {
                let part_folder =
                    folder.join(format!("package{package}/module{module}/part{part}"));
                fs::create_dir_all(&part_folder)?;
                let is_needle_here = package % 4 == 0 && module == 0 && part == 0;
                for name in NAMES {
                    let text = text(&mut noise, name, is_needle_here && name == "view.ts");
                    fs::write(part_folder.join(name), text)?;
                }
            }
        }
    }
    fs::write(done, "")?;
    Ok(folder)
}

fn text(noise: &mut Noise, name: &str, holds_needle: bool) -> String {
    let mut text = String::new();
    if name.ends_with(".bin") {
        text.push('\0');
    }
    for _ in 0..noise.below(80) + 5 {
        for _ in 0..8 {
            let word = WORDS
                .get(noise.below(WORDS.len()))
                .copied()
                .unwrap_or_default();
            let _infallible = write!(text, "{word} ");
        }
        text.push('\n');
    }
    if holds_needle {
        text.push_str("here is the NeedleInTheTree\n");
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
