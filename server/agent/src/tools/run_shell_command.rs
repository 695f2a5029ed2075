//! `run_shell_command`: a command for bash, watched while it runs, and ended with everything it started.

mod cautions;
mod changed;
mod elsewhere;
mod report;

#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use pollux_exec::{
    CommandAccess, Ended, Exit, Input, Limits, ReadOnlySupport, Running, ShellCommand, Spool,
    read_only_support, start,
};
use pollux_model::ToolDeclaration;
use pollux_policy::shell;
use serde_json::{Map, Value, json};

use self::cautions::Approvable;
use self::changed::Watched;
use self::elsewhere::There;
pub(super) use self::report::cut_text;
use super::params::{Flag, Params};
use super::searching::SearchSetup;
use super::shell_setup::{ShellSetup, folder_of};
use super::{Asks, Caller, Consent, Desk, ErrorKind, Tool, ToolError, ToolOutput};
use crate::Changes;
use crate::Scratch;
use crate::api::Subject;

pub(crate) const NAME: &str = "run_shell_command";

/// How often the person is shown what is new.
const SHOWN_EVERY: Duration = Duration::from_millis(100);
/// Bytes that are shown at a time; a command that prints more is not read that fast anyway.
const SHOWN_AT_ONCE: usize = 8 * 1024;
/// A background command that fails at once is told as a failure.
const BACKGROUND_DELAY: u64 = 200;
const LONGEST_DELAY: u64 = 60_000;

const SUBSTITUTION: &str = "The command was not run: it has a command substitution ($(…), backticks, <(…) or >(…)), \
                            and what that would run cannot be judged. Run the inner command first, and use its output.";

pub(super) struct RunShellCommand {
    pub(super) setup: Arc<ShellSetup>,
    pub(super) scratch: Option<Arc<dyn Scratch>>,
}

impl Tool for RunShellCommand {
    fn name(&self) -> &str {
        NAME
    }

    fn declaration(&self) -> ToolDeclaration {
        ToolDeclaration {
            name: NAME.to_owned(),
            description: "Runs a command with `bash -c`. There is no input: use flags that answer questions. \
                          Everything it starts ends with the session."
                .to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "command": { "type": "string", "minLength": 1, "description": "The command." },
                    "description": { "type": "string", "description": "What it does, in a few words for the person." },
                    "dir_path": { "type": "string", "description": "The folder to run it in; the workspace if left out." },
                    "is_background": { "type": "boolean", "description": "Leave it running and go on, for servers and watchers." },
                    "delay_ms": { "type": "integer", "minimum": 0, "description": "How long to watch it before it is left to the background." },
                },
                "required": ["command"],
            }),
        }
    }

    fn title(&self, args: &Map<String, Value>) -> String {
        let params = Params::new(args);
        let command = params.optional_string("command").unwrap_or_default();
        match params.optional_string("description") {
            Some(description) => format!("Run {command} ({description})"),
            None => format!("Run {command}"),
        }
    }

    fn check(&self, desk: &Desk<'_>) -> Result<(), ToolError> {
        if desk.params().string("command")?.trim().is_empty() {
            return Err(ToolError::invalid("Command cannot be empty."));
        }
        desk.place_in("dir_path").map(drop)
    }

    fn asks<'a>(&'a self, desk: &'a Desk<'_>) -> BoxFuture<'a, Result<Asks, ToolError>> {
        async {
            let command = desk.params().string("command")?.to_owned();
            // The model is told to write it differently, see `run`.
            if desk.caller == Caller::Model && shell::has_substitution(&command) {
                return Ok(Asks::Nobody);
            }
            let script = shell::parse(&command).ok();
            let mut cautions = cautions::about(script.as_ref(), desk.config.tools.watched());
            if let Some(attempt) = desk.config.tools.watched().write_attempt(&command) {
                let writes =
                    format!("This command writes: it tried to {attempt} when it ran read-only");
                cautions.sentences.insert(0, writes);
            }
            let subject = Subject::Command {
                folder: desk.place_in("dir_path")?,
                programs: script
                    .as_ref()
                    .map(shell::root_commands)
                    .unwrap_or_default(),
                cautions: cautions.sentences,
                command,
            };
            Ok(match cautions.approval {
                Approvable::ForGood => Asks::Person(subject),
                Approvable::Once => Asks::PersonEachTime(subject),
            })
        }
        .boxed()
    }

    fn run<'a>(&'a self, desk: &'a Desk<'_>) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async {
            let params = desk.params();
            let command = params.string("command")?;
            if desk.caller == Caller::Model && shell::has_substitution(command) {
                return Ok(ToolOutput::text(
                    SUBSTITUTION,
                    "not run: command substitution",
                ));
            }
            let folder = SearchSetup::default().open_place(desk, "dir_path").await?;
            self.keep(command, &folder).await?;
            let spool = self.spool(desk).await;
            let watched = Watched::begin(desk, &self.setup, command, &folder).await;
            let left = params.flag("is_background", Flag::Off);
            // What runs on in the background ends with the session, which a client cannot promise.
            // Nor can it confine a command that only reads.
            let access = access(desk);
            if left == Flag::Off
                && !is_confined(access)
                && let Some(there) = elsewhere::begin(desk, &self.setup, command, &folder).await?
            {
                return self.watch_there(desk, there, spool, watched).await;
            }
            let running = self.start(command, folder, spool, access).await?;
            match left {
                Flag::On => self.leave(desk, command, running, watched).await,
                Flag::Off => self.watch(desk, command, running, watched).await,
            }
        }
        .boxed()
    }
}

impl RunShellCommand {
    /// What the command is about to destroy is kept first, or it does not run.
    async fn keep(&self, command: &str, folder: &std::path::Path) -> Result<(), ToolError> {
        let Ok(script) = shell::parse(command) else {
            return Ok(());
        };
        let destructions = shell::destructive(&script);
        if destructions.is_empty() {
            return Ok(());
        }
        let kept = self.setup.keeper.keep(command, folder, &destructions);
        kept.await.map_err(|message| {
            ToolError::new(
                ErrorKind::Shell,
                format!("the command was not run, because what it would destroy could not be kept: {message}"),
            )
        })
    }

    async fn spool(&self, desk: &Desk<'_>) -> Spool {
        let Some(scratch) = &self.scratch else {
            return Spool::Nowhere;
        };
        let file = scratch.place(&ShellSetup::output_name(NAME, &desk.call.id.to_string()));
        match scratch.make_folder(&folder_of(&file)).await {
            Ok(()) => Spool::WhenLarge(file),
            Err(error) => {
                tracing::warn!(%error, "there is no place for long outputs");
                Spool::Nowhere
            }
        }
    }

    async fn start(
        &self,
        command: &str,
        folder: PathBuf,
        spool: Spool,
        access: CommandAccess,
    ) -> Result<Running, ToolError> {
        let setup = &self.setup;
        let command = ShellCommand {
            command: command.to_owned(),
            folder,
            environment: setup.environment.clone(),
            terminal: setup.terminal,
            input: Input::Nothing,
            inactivity: setup.inactivity,
            sandbox: setup.sandbox.clone(),
            access,
            spool,
            limits: Limits::default(),
        };
        start(&setup.guard, command)
            .await
            .map_err(|error| ToolError::new(ErrorKind::Shell, error.to_string()))
    }

    /// Shows what the command prints until it has ended.
    async fn watch(
        &self,
        desk: &Desk<'_>,
        command: &str,
        running: Running,
        watched: Watched,
    ) -> Result<ToolOutput, ToolError> {
        let shown = tokio::select! {
            biased;
            () = desk.cancel.cancelled() => None,
            ended = follow(desk, &running) => Some(ended),
        };
        let Some(ended) = shown else {
            let ended = running.kill().await;
            let (partial, _) = self.conclude(desk, &ended, watched).await;
            return Err(ToolError::cancelled().after(partial));
        };
        if !ended.background.is_empty() {
            // What it left running goes on, for as long as the session does.
            self.setup
                .background
                .lock()
                .await
                .adopt(command.to_owned(), running);
        }
        self.ended(desk, &ended, watched).await
    }

    /// The same for a command that runs at a client.
    async fn watch_there(
        &self,
        desk: &Desk<'_>,
        there: There,
        spool: Spool,
        watched: Watched,
    ) -> Result<ToolOutput, ToolError> {
        let ended = match there.watch(desk, self.setup.inactivity, spool).await {
            Ok(ended) => ended,
            Err(error) => {
                watched.end().await;
                return Err(error);
            }
        };
        if ended.exit == Exit::Killed {
            let (partial, _) = self.conclude(desk, &ended, watched).await;
            return Err(ToolError::cancelled().after(partial));
        }
        self.ended(desk, &ended, watched).await
    }

    async fn ended(
        &self,
        desk: &Desk<'_>,
        ended: &Ended,
        watched: Watched,
    ) -> Result<ToolOutput, ToolError> {
        let (told, summary) = self.conclude(desk, ended, watched).await;
        if ended.exit == Exit::TimedOut {
            let reason = report::silent_for(self.setup.inactivity.unwrap_or_default());
            return Err(ToolError::new(ErrorKind::Shell, reason).after(told));
        }
        Ok(ToolOutput {
            exit: report::exit(ended),
            ..ToolOutput::text(told, summary)
        })
    }

    /// Lets the command go on by itself, unless it ends at once.
    async fn leave(
        &self,
        desk: &Desk<'_>,
        command: &str,
        running: Running,
        watched: Watched,
    ) -> Result<ToolOutput, ToolError> {
        let delay = desk
            .params()
            .number("delay_ms")
            .and_then(|delay| u64::try_from(delay).ok());
        let delay = Duration::from_millis(delay.unwrap_or(BACKGROUND_DELAY).min(LONGEST_DELAY));
        let ended = tokio::select! {
            biased;
            () = desk.cancel.cancelled() => {
                running.kill().await;
                watched.end().await;
                return Err(ToolError::cancelled());
            }
            ended = running.wait_up_to(delay) => ended,
        };
        if let Some(ended) = ended.filter(|ended| ended.background.is_empty()) {
            let (told, summary) = self.conclude(desk, &ended, watched).await;
            return Ok(ToolOutput {
                exit: report::exit(&ended),
                ..ToolOutput::text(told, summary)
            });
        }
        watched.end_later(desk, running.end());
        let initial = running.live().tail(match self.setup.longest_output {
            0 => usize::MAX,
            longest => longest,
        });
        let mut background = self.setup.background.lock().await;
        let id = background.adopt(command.to_owned(), running);
        let told = format!(
            "Command is running in background. PID: {id}. Initial output:\n{}",
            desk.untrusted(&initial)
        );
        Ok(ToolOutput::text(
            told,
            format!("runs in the background as {id}"),
        ))
    }

    /// Everything there is to say about a command that has ended, for the model and for the person.
    async fn conclude(&self, desk: &Desk<'_>, ended: &Ended, watched: Watched) -> (String, String) {
        let changes = watched.end().await;
        let told = self.told(desk, ended, &changes).await;
        let mut summary = report::summary(ended);
        let access = access(desk);
        if access == CommandAccess::ReadOnly && !is_confined(access) {
            summary.push_str(", not confined");
        }
        match changed::summary(&changes) {
            Some(changed) => (told, format!("{summary}, {changed}")),
            None => (told, summary),
        }
    }

    /// What a model is told, with the whole output in a file where it is too long.
    async fn told(&self, desk: &Desk<'_>, ended: &Ended, changes: &Changes) -> String {
        let name = ShellSetup::output_name(NAME, &desk.call.id.to_string());
        let text = report::shortened(
            &ended.output,
            self.setup.longest_output,
            self.scratch.as_deref(),
            &name,
        );
        let mut told = report::told(ended, &text.await);
        if let Ok(command) = desk.params().string("command") {
            desk.config.tools.watched().refused(command, &ended.refused);
        }
        if let Some(changed) = changed::told(changes, &desk.config.root) {
            told.push('\n');
            told.push_str(&changed);
        }
        desk.untrusted(&told)
    }
}

/// A command that the policy allows because it only reads can only read.
fn access(desk: &Desk<'_>) -> CommandAccess {
    match desk.consent {
        Consent::ReadOnly => CommandAccess::ReadOnly,
        Consent::Given | Consent::InReview | Consent::Answered(_) => CommandAccess::Write,
    }
}

fn is_confined(access: CommandAccess) -> bool {
    access == CommandAccess::ReadOnly
        && matches!(read_only_support(), ReadOnlySupport::Confined { .. })
}

/// Shows what is new, at a pace that a person can read, until the command has ended.
async fn follow(desk: &Desk<'_>, running: &Running) -> Arc<Ended> {
    let mut live = running.live();
    let mut position = 0;
    loop {
        tokio::select! {
            biased;
            _ = running.wait() => {}
            _ = live.more() => {}
        }
        // A quick command is shown in one piece, and is not held up by it.
        let ended = running.wait_up_to(SHOWN_EVERY).await;
        let (mut text, end) = live.lines_since(position, SHOWN_AT_ONCE);
        position = end;
        if ended.is_some() {
            text.push_str(&live.unfinished());
        }
        if !text.is_empty() {
            desk.print(text).await;
        }
        if let Some(ended) = ended {
            return ended;
        }
    }
}
