//! A program that is run to its end, without a shell: fed, listened to, and ended together with whatever it started.

#[cfg(test)]
mod tests;

use std::io;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, Command};

use crate::Variable;

/// How long a program that is late may take to end by itself.
const GRACE: Duration = Duration::from_secs(5);

/// What is to be run.
#[derive(Clone, Copy, Debug)]
pub struct ProgramRun<'a> {
    /// The name and the arguments.
    pub argv: &'a [String],
    pub folder: &'a Path,
    pub input: &'a [u8],
    /// Bytes of each output; a program that writes more is ended.
    pub output_limit: usize,
    pub variables: ProgramVariables<'a>,
    /// When this is over the program is asked to end, and made to soon after.
    pub time_limit: Option<Duration>,
}

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
    /// Whether it was ended because it took longer than it may.
    pub deadline: Deadline,
}

/// Whether an output went over its limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overflow {
    #[default]
    No,
    Yes,
}

/// Whether a program ended in time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Deadline {
    #[default]
    Kept,
    Missed,
}

/// The variables that a program gets.
#[derive(Clone, Copy, Debug)]
pub enum ProgramVariables<'a> {
    /// Those of this process.
    Inherited,
    /// These and no others.
    Only(&'a [Variable]),
}

/// Runs a program. Dropping the future ends it.
pub async fn run_program(run: ProgramRun<'_>) -> io::Result<ProgramEnd> {
    let Some((name, arguments)) = run.argv.split_first() else {
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
        .current_dir(run.folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    if let ProgramVariables::Only(variables) = run.variables {
        command.env_clear();
        command.envs(variables.iter().map(|(name, value)| (name, value)));
    }
    #[cfg(unix)]
    command.process_group(0);
    let mut family = Family(command.spawn()?);
    let mut end = ProgramEnd::default();
    let attended = attend(&mut family, &mut end, run.input, run.output_limit);
    let status = match run.time_limit {
        None => attended.await?,
        Some(limit) => match tokio::time::timeout(limit, attended).await {
            Ok(status) => status?,
            Err(_late) => {
                end.deadline = Deadline::Missed;
                family.ask_to_end();
                match tokio::time::timeout(GRACE, family.0.wait()).await {
                    Ok(status) => status?,
                    Err(_stubborn) => {
                        family.end();
                        family.0.wait().await?
                    }
                }
            }
        },
    };
    end.code = status.code();
    #[cfg(unix)]
    {
        end.signal = std::os::unix::process::ExitStatusExt::signal(&status);
    }
    Ok(end)
}

/// Feeds a program and listens to it until it ends.
async fn attend(
    family: &mut Family,
    end: &mut ProgramEnd,
    input: &[u8],
    output_limit: usize,
) -> io::Result<ExitStatus> {
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
    family.0.wait().await
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
        self.signal(rustix::process::Signal::KILL);
        #[cfg(not(unix))]
        {
            let _gone = self.0.start_kill();
        }
    }

    /// Lets it put things in order first, where a system has a way to say that.
    fn ask_to_end(&mut self) {
        #[cfg(unix)]
        self.signal(rustix::process::Signal::TERM);
        #[cfg(not(unix))]
        self.end();
    }

    #[cfg(unix)]
    fn signal(&self, signal: rustix::process::Signal) {
        if let Some(group) = self.0.id().and_then(|id| i32::try_from(id).ok())
            && let Some(group) = rustix::process::Pid::from_raw(group)
        {
            // Whoever has ended already needs no signal.
            let _gone = rustix::process::kill_process_group(group, signal);
        }
    }
}

impl Drop for Family {
    fn drop(&mut self) {
        self.end();
    }
}
