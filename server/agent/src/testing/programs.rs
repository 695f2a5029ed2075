//! Programs that are really run.

use std::io;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use pollux_exec::{Deadline, ProgramRun, ProgramVariables, run_program};

use crate::{Program, Programs, Punctuality, Ran};

pub(crate) struct RealPrograms;

impl Programs for RealPrograms {
    fn run<'a>(&'a self, program: Program<'a>) -> BoxFuture<'a, io::Result<Ran>> {
        async move {
            let end = run_program(ProgramRun {
                argv: program.argv,
                folder: program.folder,
                input: program.input.as_bytes(),
                output_limit: program.output_limit,
                variables: ProgramVariables::Only(program.variables.unwrap_or_default()),
                time_limit: program.time_limit,
            })
            .await?;
            Ok(Ran {
                stdout: String::from_utf8(end.stdout).unwrap(),
                stderr: String::from_utf8(end.stderr).unwrap(),
                code: end.code,
                signal: end.signal,
                time: match end.deadline {
                    Deadline::Kept => Punctuality::InTime,
                    Deadline::Missed => Punctuality::Late,
                },
                ..Ran::default()
            })
        }
        .boxed()
    }
}
