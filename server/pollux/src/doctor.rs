//! `pollux doctor`: what is there, what is wrong, and how to fix it.

mod report;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use pollux_model::{ApiKey, Http};
use pollux_settings::{EditorTrust, Environment, find_project};
use pollux_workspace::{DoorContext, damaged_review_files};

pub(crate) use report::HostReport;
use report::{FolderReport, Report, SettingsFile};

use crate::environment;
use crate::equipment;
use crate::keychain;
use crate::logging;
use crate::policy::{Loading, PolicyFiles};
use crate::services;
#[cfg(unix)]
use crate::shared::Runtime;
use crate::terminal::PlainOutput;

/// How the report is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Text,
    Json,
}

/// Examines the folder this process was started in. A failure when something is wrong.
pub(crate) fn run(environment: &Environment, format: Format) -> Result<ExitCode> {
    let context = environment::door_context(environment);
    let (host, host_problem) = match host(environment, &context) {
        Ok(host) => (host, None),
        Err(error) => (None, Some(format!("{error:#}"))),
    };
    let root = context.folder.clone();
    let mut report = examine(&context, &[root], host);
    report.host_problem = host_problem;
    report.ollama = ollama(environment)?;
    let text = match format {
        Format::Text => report.to_string(),
        Format::Json => serde_json::to_string_pretty(&report)? + "\n",
    };
    write(&text, format)?;
    Ok(match report.is_healthy() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}

/// The models of a local Ollama, if one runs.
fn ollama(environment: &Environment) -> Result<Vec<String>> {
    let threads = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let host = environment.get("OLLAMA_HOST");
    let found = threads.block_on(pollux_model::find_ollama(&Http::default(), host));
    Ok(found.map(|ollama| ollama.models).unwrap_or_default())
}

#[cfg(unix)]
fn host(environment: &Environment, context: &DoorContext) -> Result<Option<HostReport>> {
    let Ok(runtime) = Runtime::open(environment) else {
        // The report says why.
        return Ok(None);
    };
    let threads = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    Ok(threads.block_on(crate::shared::ask_host(&runtime, context))?)
}

#[cfg(not(unix))]
fn host(_: &Environment, _: &DoorContext) -> Result<Option<HostReport>> {
    Ok(None)
}

/// Looks at everything that a person who asks for help would be asked about.
pub(crate) fn examine(
    context: &DoorContext,
    roots: &[PathBuf],
    host: Option<HostReport>,
) -> Report {
    let variables = environment::of_door(context);
    #[cfg(unix)]
    let (socket, socket_problem) = match Runtime::open(&variables) {
        Ok(runtime) => (Some(runtime.socket), None),
        Err(error) => (None, Some(format!("{error:#}"))),
    };
    #[cfg(not(unix))]
    let (socket, socket_problem) = (None, None);
    let found = keychain::find(&variables, keychain::SOON);
    Report {
        version: env!("CARGO_PKG_VERSION"),
        platform: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        binary: std::env::current_exe().ok(),
        socket,
        log: logging::folder(&variables).join("host.log"),
        host,
        keychain: match &found {
            Ok(Some(_)) => "holds a Gemini key".to_owned(),
            Ok(None) => "holds no Gemini key; `pollux auth` puts one there".to_owned(),
            Err(error) => format!("not in use: {error}"),
        },
        folders: roots
            .iter()
            .map(|root| folder(context, root, &found))
            .collect(),
        socket_problem,
        host_problem: None,
        ollama: Vec::new(),
    }
}

fn folder(
    context: &DoorContext,
    root: &Path,
    stored: &Result<Option<ApiKey>, keychain::KeychainError>,
) -> FolderReport {
    let environment = environment::of_door(context);
    let loaded = pollux_settings::load(&environment, root, EditorTrust::Unsaid);
    let lookup = find_project(&loaded.locations, root);
    let mut problems: Vec<String> = loaded.problems.iter().map(ToString::to_string).collect();
    problems.extend(lookup.problem.map(|problem| problem.to_string()));
    let policy = PolicyFiles::load(&Loading {
        loaded: &loaded,
        folder: root,
        instead: &[],
        allowed: &[],
    });
    problems.extend(policy.problems.iter().map(ToString::to_string));
    problems.extend(damaged_reviews(&environment, root));
    FolderReport {
        folder: root.to_owned(),
        trust: report::trust(&loaded.trust),
        rules: policy.policy.rules().len(),
        sandbox: equipment::sandbox::confinement(&loaded),
        model: crate::session_source::answering_model(&loaded, &environment, stored),
        sessions: lookup.project.map_or(0, |project| project.count_sessions()),
        settings: loaded.files.iter().map(SettingsFile::from).collect(),
        env_file: loaded.env_file,
        problems,
    }
}

/// Says so until the copies are removed.
fn damaged_reviews(environment: &Environment, root: &Path) -> Option<String> {
    let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    let files = damaged_review_files(&services::records(environment), &root);
    let folder = files.first()?.parent()?;
    Some(format!(
        "part of the review record of this folder was damaged; remove {} when you no longer need the copies",
        folder.display()
    ))
}

fn write(text: &str, format: Format) -> std::io::Result<()> {
    use std::io::Write;
    let stdout = std::io::stdout().lock();
    let mut stdout = match format {
        Format::Text => PlainOutput::text(stdout),
        Format::Json => PlainOutput::json(stdout),
    };
    stdout.write_all(text.as_bytes())?;
    stdout.flush()
}
