//! Programs that settings name, run by `exec`.

use std::io;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use pollux_agent::{Completeness, Program, Programs, Punctuality, Ran};
use pollux_exec::{Deadline, Overflow, ProgramRun, ProgramVariables, run_program};

pub(crate) struct ChildPrograms;

impl Programs for ChildPrograms {
    fn run<'a>(&'a self, program: Program<'a>) -> BoxFuture<'a, io::Result<Ran>> {
        async move {
            let end = run_program(ProgramRun {
                argv: program.argv,
                folder: program.folder,
                input: program.input.as_bytes(),
                output_limit: program.output_limit,
                variables: match program.variables {
                    None => ProgramVariables::Inherited,
                    Some(variables) => ProgramVariables::Only(variables),
                },
                time_limit: program.time_limit,
            })
            .await?;
            Ok(Ran {
                stdout: String::from_utf8_lossy(&end.stdout).into_owned(),
                stderr: String::from_utf8_lossy(&end.stderr).into_owned(),
                code: end.code,
                signal: end.signal,
                time: match end.deadline {
                    Deadline::Kept => Punctuality::InTime,
                    Deadline::Missed => Punctuality::Late,
                },
                output: match end.overflow {
                    Overflow::No => Completeness::Whole,
                    Overflow::Yes => Completeness::Cut,
                },
            })
        }
        .boxed()
    }
}
