//! Answers questions about a folder tree and says how long each took: one half of `cargo xtask bench search`.
//!
//! `timed <folder> <threads>` reads lines `grep <pattern>` and `glob <pattern>` and answers each with nanoseconds and a
//! count of matches.

#![expect(
    clippy::print_stdout,
    reason = "the answers are read by the bench from the standard output"
)]

use std::env;
use std::io::{self, BufRead};
use std::path::PathBuf;
use std::time::{Instant, SystemTime};

use pollux_search::{
    Cancel, Case, Context, Excludes, GlobQuery, GrepQuery, IgnoreRules, Overlay, Report, RuleFiles,
    SearchError, Syntax, Tree, glob, grep,
};

/// As many paths as a model is shown.
const PATHS: usize = 2000;
/// The tool's own limit; the patterns of the bench have fewer matches, so that the whole tree is searched.
const MATCHES: usize = 100;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = env::args_os().skip(1);
    let usage = "timed <folder> <threads>";
    let root = PathBuf::from(arguments.next().ok_or(usage)?);
    let threads = arguments.next().and_then(|word| word.into_string().ok());
    let threads: usize = threads.ok_or(usage)?.parse()?;
    for line in io::stdin().lock().lines() {
        let line = line?;
        let (tool, pattern) = line.split_once(' ').ok_or(usage)?;
        let begin = Instant::now();
        let count = ask(&root, threads, tool, pattern)?;
        println!("{} {count}", begin.elapsed().as_nanos());
    }
    Ok(())
}

/// Everything a call of the tool does, the reading of the top ignore files with it.
fn ask(
    root: &std::path::Path,
    threads: usize,
    tool: &str,
    pattern: &str,
) -> Result<usize, SearchError> {
    let rules = IgnoreRules::new(root, &RuleFiles::default());
    let tree = Tree {
        rules: &rules,
        overlay: &Overlay::default(),
        cancel: Cancel::never(),
        threads,
    };
    if tool == "glob" {
        let query = GlobQuery {
            pattern,
            folder: root,
            case: Case::Insensitive,
            excludes: &Excludes::for_glob(),
            now: SystemTime::now(),
            limit: PATHS,
        };
        return Ok(glob(&tree, &query)?.total);
    }
    let query = GrepQuery {
        pattern,
        syntax: Syntax::Regex,
        case: Case::Insensitive,
        at: root,
        include: None,
        exclude_lines: None,
        report: Report::Lines,
        context: Context::Automatic,
        most_per_file: None,
        limit: MATCHES,
        excludes: &Excludes::for_grep(),
    };
    Ok(grep(&tree, &query)?.matches)
}
