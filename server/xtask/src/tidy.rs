//! `cargo xtask tidy`: compares the tree with the project's rules.
//!
//! One file per rule. A rule sees only the tracked files and cargo's metadata, both as data, so
//! its test can show it a bad tree of three lines. There is no list of exceptions.

mod decisions;
mod edges;
mod finding;
mod licences;
mod links;
mod manifests;
mod metadata;
mod pins;
mod sizes;
mod top_level;
mod tree;
mod words;

use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::codegen;
use finding::{Finding, Weight};
pub(crate) use metadata::{Metadata, target_folder};
use tree::Tree;

type Rule = fn(&Tree, &Metadata) -> Vec<Finding>;

const RULES: &[(&str, Rule)] = &[
    ("crate edges", edges::check),
    ("file sizes", |tree, _| sizes::check(tree)),
    ("forbidden words", |tree, _| words::check(tree)),
    ("top level", |tree, _| top_level::check(tree)),
    ("licences", |_, metadata| licences::check(metadata)),
    ("manifests", manifests::check),
    ("links", |tree, _| links::check(tree)),
    ("pinned protocol crates", pins::check),
    ("decisions", |tree, _| decisions::check(tree)),
];

pub(crate) fn main(_arguments: &[String]) -> Result<ExitCode> {
    let rules = check();
    // A step of its own in `cargo xtask test`, and part of what tidy means to a person.
    codegen::check()?;
    rules?;
    println!("tidy");
    Ok(ExitCode::SUCCESS)
}

/// Runs every rule, prints what it finds, and fails if anything must be changed.
pub(crate) fn check() -> Result<()> {
    let tree = Tree::tracked()?;
    let metadata = Metadata::read()?;
    let mut broken = 0_usize;
    for (name, rule) in RULES {
        let findings = rule(&tree, &metadata);
        let failures = findings
            .iter()
            .filter(|finding| finding.weight == Weight::Fail)
            .count();
        broken += failures;
        let verdict = if failures == 0 { "ok" } else { "FAILED" };
        println!("      {name}: {verdict}");
        for finding in findings {
            println!("        {finding}");
        }
    }
    match broken {
        0 => Ok(()),
        1 => bail!("one finding, listed above"),
        many => bail!("{many} findings, listed above"),
    }
}

/// The version the next release will carry.
pub(crate) fn version() -> Result<String> {
    Metadata::read()?.version_of("pollux")
}
