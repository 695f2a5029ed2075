//! `pollux undo`.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::SystemTime;

use anyhow::{Context, Result, bail};
use clap::Args;
use pollux_sessions::{Project, TimeStyle, relative_time};
use pollux_settings::{Environment, Locations};
use serde_json::json;

use super::restore::{Restored, Restoring};
use super::store::{Retention, Snapshot, Standing, Store};
use super::{keeper, turn};
use crate::{environment, services, terminal};

#[derive(Args)]
pub(crate) struct UndoArgs {
    /// Which snapshot; the newest that was not brought back yet if left out
    id: Option<String>,
    /// Take back what the last turn edited, and not what a command destroyed
    #[arg(long, conflicts_with_all = ["id", "list"])]
    turn: bool,
    /// Say what there is to bring back
    #[arg(long, conflicts_with = "id")]
    list: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// A folder of the workspace; the current one if left out
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
}

pub(crate) fn run(args: &UndoArgs, environment: &Environment) -> Result<ExitCode> {
    let folder = match &args.cwd {
        Some(folder) => folder.clone(),
        None => environment::door_context(environment).folder,
    };
    let folder = folder
        .canonicalize()
        .with_context(|| format!("{} is no folder", folder.display()))?;
    if args.turn {
        return match edited(&folder, environment)? {
            Some(done) => print(&taken_back(&done, args.json)?),
            None => bail!(
                "no turn is left to take back here; one that ran in an editor that is open is taken back there"
            ),
        };
    }
    let found = find(&folder, environment)?;
    let (store, snapshots) = match found {
        Some(found) => found,
        None if args.list && args.json => return print("[]\n"),
        None if args.list => return print("Nothing was kept for this folder.\n"),
        // No command has destroyed anything; tools may have edited something.
        None => match edited(&folder, environment)? {
            Some(done) => return print(&taken_back(&done, args.json)?),
            None => bail!("nothing was kept for this folder, so there is nothing to undo"),
        },
    };
    if args.list {
        return print(&listed(&snapshots, args.json)?);
    }
    let snapshot = chosen(&snapshots, args.id.as_deref())?;
    let variables = environment
        .iter()
        .map(|(name, value)| (name.into(), value.into()));
    let restoring = Restoring {
        store: &store,
        environment: &variables.collect::<Vec<_>>(),
        retention: Retention::default(),
    };
    let threads = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let outcome = threads.block_on(restoring.restore(snapshot))?;
    print(&match args.json {
        true => serde_json::to_string_pretty(&outcome)? + "\n",
        false => told(snapshot, &outcome),
    })?;
    Ok(match outcome.failed.is_empty() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}

/// Takes back what the last turn edited.
fn edited(folder: &std::path::Path, environment: &Environment) -> Result<Option<String>> {
    let threads = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    threads.block_on(turn::undo(&services::rooms(environment), folder))
}

fn taken_back(done: &str, as_json: bool) -> Result<String> {
    Ok(match as_json {
        true => serde_json::to_string_pretty(&json!({ "message": done }))? + "\n",
        false => format!("{done}\n"),
    })
}

/// The snapshots of the workspace that a folder is in: the innermost that has any.
pub(super) fn find(
    folder: &std::path::Path,
    environment: &Environment,
) -> Result<Option<(Store, Vec<Snapshot>)>> {
    for folder in folder.ancestors() {
        let locations = Locations::new(environment, folder);
        let Some(project) = Project::find(&locations, folder) else {
            continue;
        };
        let store = Store::new(keeper::store(&locations, &project.slug));
        let snapshots = store.list()?;
        if !snapshots.is_empty() {
            return Ok(Some((store, snapshots)));
        }
    }
    Ok(None)
}

pub(super) fn chosen<'a>(snapshots: &'a [Snapshot], id: Option<&str>) -> Result<&'a Snapshot> {
    let Some(id) = id else {
        // Undoing twice goes back two commands; taking an undo back is asked for by its name.
        let waiting = snapshots.iter().find(|snapshot| {
            snapshot.standing == Standing::Waiting && snapshot.about.undoes.is_none()
        });
        return waiting.context(
            "everything that was kept has been brought back; `pollux undo --list` says what there is",
        );
    };
    let mut fitting = snapshots
        .iter()
        .filter(|snapshot| snapshot.id.starts_with(id));
    match (fitting.next(), fitting.next()) {
        (Some(snapshot), None) => Ok(snapshot),
        (Some(_), Some(_)) => bail!("more than one snapshot starts with {id}"),
        (None, _) => bail!("there is no snapshot {id}; `pollux undo --list` says what there is"),
    }
}

fn listed(snapshots: &[Snapshot], json: bool) -> Result<String> {
    if json {
        let list: Vec<_> = snapshots
            .iter()
            .map(|snapshot| {
                json!({
                    "id": snapshot.id,
                    "time": snapshot.about.time,
                    "command": snapshot.about.command,
                    "folder": snapshot.about.folder.to_path(),
                    "files": snapshot.about.files,
                    "bytes": snapshot.about.bytes,
                    "undone": snapshot.standing == Standing::Undone,
                    "undoes": snapshot.about.undoes,
                })
            })
            .collect();
        return Ok(serde_json::to_string_pretty(&list)? + "\n");
    }
    let lines = snapshots.iter().map(|snapshot| {
        let about = &snapshot.about;
        let then = humantime::parse_rfc3339_weak(about.time.trim_end_matches('Z'));
        let ago = then.map(|then| relative_time(then, SystemTime::now(), TimeStyle::Long));
        let standing = match snapshot.standing {
            Standing::Waiting => "",
            Standing::Undone => "  (brought back)",
        };
        format!(
            "{}  {:14}  {}  {}{standing}\n",
            snapshot.id,
            ago.unwrap_or_default(),
            files(about.files),
            shown(&about.command),
        )
    });
    Ok(lines.collect())
}

pub(super) fn told(snapshot: &Snapshot, outcome: &Restored) -> String {
    let mut text = format!("Undone: {}\n", shown(&snapshot.about.command));
    let mut list = |title: &str, paths: &[PathBuf]| {
        for path in paths {
            let path = shown(&path.display().to_string());
            text += &format!("  {title}  {path}\n");
        }
    };
    list("back   ", &outcome.restored);
    list("removed", &outcome.removed);
    for failure in &outcome.failed {
        let path = shown(&failure.path.display().to_string());
        text += &format!("  failed   {path}: {}\n", shown(&failure.why));
    }
    if outcome.stashes > 0 {
        text += &format!("{} stashed changes are back.\n", outcome.stashes);
    }
    if outcome.restored.is_empty() && outcome.removed.is_empty() && outcome.stashes == 0 {
        text += "Everything was as it had been.\n";
    }
    for left_out in &outcome.left_out {
        let path = shown(&left_out.path.to_path().display().to_string());
        text += &format!("{path} was not kept: {}.\n", left_out.why);
    }
    for note in &outcome.notes {
        text += &format!("{note}\n");
    }
    if let Some(before) = &outcome.before {
        text += &match outcome.replaced.len() {
            0 => String::new(),
            _ => format!(
                "What was in {} before is kept.\n",
                files(outcome.replaced.len())
            ),
        };
        text += &format!("To take this back: pollux undo {before}\n");
    }
    text
}

fn files(count: usize) -> String {
    match count {
        1 => "1 file".to_owned(),
        count => format!("{count} files"),
    }
}

/// One line without anything that a terminal would obey: commands are written by models.
pub(super) fn shown(text: &str) -> String {
    const LONGEST: usize = 200;
    let plain = text.chars().map(|character| match character {
        '\n' => '⏎',
        character if character.is_control() => '�',
        character => character,
    });
    let mut line: String = plain.clone().take(LONGEST).collect();
    if plain.count() > LONGEST {
        line.push('…');
    }
    line
}

/// To a pipe that may be closed early, which is no failure.
fn print(text: &str) -> Result<ExitCode> {
    match terminal::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(ExitCode::SUCCESS),
    }
}
