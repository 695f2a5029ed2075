use std::io;
use std::path::Path;
use std::time::Duration;

use futures_util::future::BoxFuture;
use pollux_exec::Variable;

/// Runs programs that settings name, without a shell.
pub trait Programs: Send + Sync {
    /// Runs a program to its end. Dropping the future ends the program and whatever it has started.
    fn run<'a>(&'a self, program: Program<'a>) -> BoxFuture<'a, io::Result<Ran>>;
}

/// What is to be run.
#[derive(Clone, Copy, Debug)]
pub struct Program<'a> {
    /// Its name and its arguments.
    pub argv: &'a [String],
    pub folder: &'a Path,
    /// Written whole; the program may close its input before.
    pub input: &'a str,
    /// Of each output. A program that writes more is ended.
    pub output_limit: usize,
    /// All that it gets to see of the environment. Nothing: what this process sees.
    pub variables: Option<&'a [Variable]>,
    /// Afterwards the program is ended.
    pub time_limit: Option<Duration>,
}

/// What became of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ran {
    pub stdout: String,
    pub stderr: String,
    /// Nothing when a signal ended it.
    pub code: Option<i32>,
    pub signal: Option<i32>,
    pub output: Completeness,
    pub time: Punctuality,
}

/// Whether all of the output is there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Completeness {
    #[default]
    Whole,
    /// There was more than the limit.
    Cut,
}

/// Whether a program ended by itself before its time was over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Punctuality {
    #[default]
    InTime,
    Late,
}
