//! Programs that settings name, run by `exec`.

use std::io;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use pollux_agent::{Completeness, Program, Programs, Ran};
use pollux_exec::{Overflow, run_program};

pub(crate) struct ChildPrograms;

impl Programs for ChildPrograms {
    fn run<'a>(&'a self, program: Program<'a>) -> BoxFuture<'a, io::Result<Ran>> {
        async move {
            let input = program.input.as_bytes();
            let end =
                run_program(program.argv, program.folder, input, program.output_limit).await?;
            Ok(Ran {
                stdout: String::from_utf8_lossy(&end.stdout).into_owned(),
                stderr: String::from_utf8_lossy(&end.stderr).into_owned(),
                code: end.code,
                signal: end.signal,
                output: match end.overflow {
                    Overflow::No => Completeness::Whole,
                    Overflow::Yes => Completeness::Cut,
                },
            })
        }
        .boxed()
    }
}
