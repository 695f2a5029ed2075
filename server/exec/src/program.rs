//! A program that is run to its end, without a shell: fed, listened to, and ended together with whatever it started.

#[cfg(test)]
mod tests;

use std::io;
use std::path::Path;
use std::process::Stdio;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, Command};

/// What became of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgramEnd {
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    /// Nothing when a signal ended it.
    pub code: Option<i32>,
    pub signal: Option<i32>,
    /// Whether it was ended because it wrote more than it may.
    pub overflow: Overflow,
}

/// Whether an output went over its limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overflow {
    #[default]
    No,
    Yes,
}

/// The variables that a program gets.
#[derive(Clone, Copy, Debug)]
pub enum ProgramVariables<'a> {
    /// Those of this process.
    Inherited,
    /// These and no others.
    Only(&'a [(&'a str, &'a str)]),
}

/// Runs a program with this input. Dropping the future ends it, and so does an output that is longer than the limit.
pub async fn run_program(
    argv: &[String],
    folder: &Path,
    input: &[u8],
    output_limit: usize,
) -> io::Result<ProgramEnd> {
    run_program_with(
        ProgramVariables::Inherited,
        argv,
        folder,
        input,
        output_limit,
    )
    .await
}

/// The same, with a say in what the program learns from its environment.
pub async fn run_program_with(
    variables: ProgramVariables<'_>,
    argv: &[String],
    folder: &Path,
    input: &[u8],
    output_limit: usize,
) -> io::Result<ProgramEnd> {
    let Some((name, arguments)) = argv.split_first() else {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "there is no program to run",
        ));
    };
    #[expect(
        clippy::disallowed_methods,
        reason = "this crate is where processes are started"
    )]
    let mut command = Command::new(name);
    command
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    if let ProgramVariables::Only(variables) = variables {
        command.env_clear().envs(variables.iter().copied());
    }
    #[cfg(unix)]
    command.process_group(0);
    let mut family = Family(command.spawn()?);
    let (stdin, stdout, stderr) = (
        family.0.stdin.take(),
        family.0.stdout.take(),
        family.0.stderr.take(),
    );
    let feeding = async {
        if let Some(mut stdin) = stdin {
            // A program need not read what it is given.
            let _closed_early = stdin.write_all(input).await;
        }
        Ok(())
    };
    let mut end = ProgramEnd::default();
    // The first output that is too long is the end of it, whatever the others still wait for.
    let listened = tokio::try_join!(
        feeding,
        taken(stdout, &mut end.stdout, output_limit),
        taken(stderr, &mut end.stderr, output_limit),
    );
    match listened {
        Ok(_) => {}
        Err(Stop::Overflow) => {
            end.overflow = Overflow::Yes;
            family.end();
        }
        Err(Stop::Broken(error)) => return Err(error),
    }
    let status = family.0.wait().await?;
    end.code = status.code();
    #[cfg(unix)]
    {
        end.signal = std::os::unix::process::ExitStatusExt::signal(&status);
    }
    Ok(end)
}

/// Why nobody listens to a program any more.
enum Stop {
    Overflow,
    Broken(io::Error),
}

/// Reads to the end or to the limit.
async fn taken(
    output: Option<impl AsyncRead + Unpin>,
    held: &mut Vec<u8>,
    limit: usize,
) -> Result<(), Stop> {
    let Some(output) = output else {
        return Ok(());
    };
    let most = u64::try_from(limit).unwrap_or(u64::MAX);
    let mut output = output.take(most.saturating_add(1));
    output.read_to_end(held).await.map_err(Stop::Broken)?;
    match held.len() > limit {
        true => {
            held.truncate(limit);
            Err(Stop::Overflow)
        }
        false => Ok(()),
    }
}

/// A program and everything in its process group. None of it outlives this.
struct Family(Child);

impl Family {
    fn end(&mut self) {
        #[cfg(unix)]
        if let Some(group) = self.0.id().and_then(|id| i32::try_from(id).ok())
            && let Some(group) = rustix::process::Pid::from_raw(group)
        {
            // Whoever has ended already needs no signal.
            let _gone = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        #[cfg(not(unix))]
        {
            let _gone = self.0.start_kill();
        }
    }
}

impl Drop for Family {
    fn drop(&mut self) {
        self.end();
    }
}
