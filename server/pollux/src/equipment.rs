//! What the tools of a session work with, by the settings of its folder.

mod disk_scratch;
pub(crate) mod sandbox;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use pollux_agent::agents::Agents;
use pollux_agent::prompt::Audience;
use pollux_agent::{
    Discovered, Equipment, Fetching, Keeper, Offered, PlansFolder, Scratch, SearchSetup, Servers,
    ShellChanges, ShellSetup, Terminals, ToolSet, WorkspacePath,
};
use pollux_exec::{
    Background, EnvironmentOptions, Guard, Redaction, Size, Terminal, Variable, redacted, sanitised,
};
use pollux_mcp::connect::HandedOn;
use pollux_model::{NetworkOptions, Reach, WebClient, WebLimits};
use pollux_search::{Respect, RuleFiles};
use pollux_settings::Loaded;
use serde_json::Value;

use crate::shell_changes::DiskWatch;
use crate::undo::DiskKeeper;
pub(crate) use disk_scratch::DiskScratch;

/// The hidden sub-command under which this program guards a shell command.
pub(crate) const GUARD: &str = "guard";

/// The twin's limits.
const SILENCE: u64 = 300;
const LONGEST_OUTPUT: usize = 40_000;
const SEARCH_SECONDS: u64 = 30;

/// As wide as what people look at, so that programs wrap nothing.
const SCREEN: Size = Size {
    rows: 40,
    columns: 160,
};

/// What a session is equipped with.
pub(crate) struct Place<'a> {
    pub(crate) loaded: &'a Loaded,
    pub(crate) folder: &'a Path,
    /// Where the session keeps its own files.
    pub(crate) scratch: PathBuf,
    /// Where what commands destroy is kept.
    pub(crate) kept: PathBuf,
    /// Takes in what commands change.
    pub(crate) changes: Arc<dyn ShellChanges>,
    /// Of those who show the session.
    pub(crate) terminals: Option<Arc<Terminals>>,
    pub(crate) audience: Audience,
    pub(crate) network: NetworkOptions,
    /// Whether a model reads the pages that are fetched, and searches for more.
    pub(crate) fetching: Fetching,
    pub(crate) web_search: Offered,
    /// The tools that the project brings along.
    pub(crate) discovered: Discovered,
    /// The servers that bring tools along.
    pub(crate) servers: Option<Arc<dyn Servers>>,
    /// Who there is to hand a job to.
    pub(crate) agents: Arc<dyn Agents>,
}

pub(crate) fn equipment(place: &Place<'_>) -> Equipment {
    let settings = &place.loaded.merged;
    let is_on = |name: &str, unset: bool| {
        let set = settings.get(name).and_then(Value::as_bool);
        match set.unwrap_or(unset) {
            true => Offered::Yes,
            false => Offered::No,
        }
    };
    let scratch: Arc<dyn Scratch> = Arc::new(DiskScratch::new(place.scratch.clone()));
    let plans = plans(place, &scratch);
    let tracks = is_on("experimental.taskTracker", false) == Offered::Yes;
    let core = settings.get("tools.core").and_then(Value::as_array);
    let lists_many = core
        .into_iter()
        .flatten()
        .any(|tool| tool.as_str() == Some(ToolSet::MANY_FILES));
    Equipment {
        many_files: match lists_many {
            true => Offered::Yes,
            false => Offered::No,
        },
        search: search(place.loaded),
        shell: shell(
            place.loaded,
            place.folder,
            place.kept.clone(),
            Arc::clone(&place.changes),
        )
        .map(|shell| {
            let terminals = place.terminals.clone();
            Arc::new(ShellSetup {
                terminals: terminals.filter(|_| runs_elsewhere(place.loaded, &shell)),
                ..shell
            })
        }),
        topics: is_on("general.topicUpdateNarration", true),
        todos: is_on("useWriteTodos", true),
        questions: match place.audience {
            Audience::Interactive => Offered::Yes,
            Audience::Headless => Offered::No,
        },
        plans: (is_on("general.plan.enabled", true) == Offered::Yes).then_some(plans),
        tracker: tracks.then(|| "tracker".to_owned()),
        web: Some(Arc::new(WebClient::new(
            place.network.clone(),
            Reach::Public,
            WebLimits::default(),
        ))),
        fetching: match is_on("experimental.directWebFetch", false) {
            Offered::Yes => Fetching::Direct,
            Offered::No => place.fetching,
        },
        agents: Some(Arc::clone(&place.agents)),
        web_search: place.web_search,
        discovered: place.discovered.clone(),
        servers: place.servers.clone(),
        scratch: Some(scratch),
    }
}

/// Where plans lie: in the project if the settings name a folder of it, else with the session's other papers.
fn plans(place: &Place<'_>, scratch: &Arc<dyn Scratch>) -> PlansFolder {
    let named = place.loaded.merged.get("general.plan.directory");
    let named = named.and_then(Value::as_str);
    let named = named.and_then(|named| WorkspacePath::new(place.folder, named).ok());
    match named {
        Some(folder) => PlansFolder::Workspace(folder),
        None => PlansFolder::Scratch(Arc::clone(scratch), "plans".to_owned()),
    }
}

/// Which files tools see.
pub(crate) fn search(loaded: &Loaded) -> SearchSetup {
    let respect = |name: &str| match loaded.merged.get(name).and_then(Value::as_bool) {
        Some(false) => Respect::No,
        Some(true) | None => Respect::Yes,
    };
    let custom = loaded
        .merged
        .get("context.fileFiltering.customIgnoreFilePaths")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|path| Some(PathBuf::from(path.as_str()?)));
    SearchSetup {
        ignore: RuleFiles {
            git: respect("context.fileFiltering.respectGitIgnore"),
            gemini: respect("context.fileFiltering.respectGeminiIgnore"),
            custom: custom.collect(),
        },
        timeout: Duration::from_secs(SEARCH_SECONDS),
    }
}

/// Nothing where this program does not know where it lies itself: it could not start a guard.
///
/// `kept` is where what commands destroy is kept.
pub(crate) fn shell(
    loaded: &Loaded,
    folder: &Path,
    kept: PathBuf,
    changes: Arc<dyn ShellChanges>,
) -> Option<ShellSetup> {
    let settings = &loaded.merged;
    let number = |name: &str| settings.get(name).and_then(Value::as_u64);
    let silence = number("tools.shell.inactivityTimeout").unwrap_or(SILENCE);
    let interactive = settings.get("tools.shell.enableInteractiveShell");
    let mut environment = environment(loaded);
    let (sandbox, temporary) = sandbox::profile(loaded, folder, &mut environment);
    let keeper: Arc<dyn Keeper> = Arc::new(DiskKeeper::new(
        kept,
        &[folder.to_owned()],
        environment.clone(),
    ));
    let watch = DiskWatch::new(
        folder,
        search(loaded).ignore,
        environment.clone(),
        sandbox.clone(),
    );
    Some(ShellSetup {
        guard: Guard {
            program: std::env::current_exe().ok()?,
            arguments: vec![GUARD.into()],
        },
        environment,
        terminal: match interactive.and_then(Value::as_bool) {
            Some(false) => Terminal::Pipes,
            Some(true) | None => Terminal::Emulated(SCREEN),
        },
        sandbox,
        inactivity: (silence > 0).then(|| Duration::from_secs(silence)),
        longest_output: number("tools.truncateToolOutputThreshold")
            .and_then(|length| usize::try_from(length).ok())
            .unwrap_or(LONGEST_OUTPUT),
        keeper,
        watch: Arc::new(watch),
        changes,
        background: Arc::new(tokio::sync::Mutex::new(Background::default())),
        changed_build_files: Arc::new(Mutex::new(BTreeSet::new())),
        terminals: None,
        temporary,
    })
}

/// Whether commands run in terminals of clients. Nothing can be confined there, and nothing hidden from them.
fn runs_elsewhere(loaded: &Loaded, shell: &ShellSetup) -> bool {
    let wanted = loaded.merged.get("pollux.acp.clientTerminal");
    wanted.and_then(Value::as_bool).unwrap_or_default()
        && shell.sandbox.is_none()
        && matches!(redaction(loaded), Redaction::Off)
}

/// The door's own environment: what a folder's `.env` adds is for us, and not for every command.
fn environment(loaded: &Loaded) -> Vec<Variable> {
    let options = EnvironmentOptions {
        redaction: redaction(loaded),
        pager: loaded
            .merged
            .get("tools.shell.pager")
            .and_then(|pager| Some(pager.as_str()?.to_owned())),
        ..EnvironmentOptions::default()
    };
    let allowed = redaction_allowed(loaded);
    let is_own_key = |name: &OsString| {
        let name = name.to_string_lossy();
        OWN_KEYS.contains(&&*name)
            && !allowed
                .iter()
                .any(|allowed| allowed.eq_ignore_ascii_case(&name))
    };
    let variables = variables(loaded).filter(|(name, _)| !is_own_key(name));
    sanitised(variables, &options)
}

/// The keys that Pollux itself uses. Commands get them only if the settings allow them by name.
const OWN_KEYS: &[&str] = &["GEMINI_API_KEY", "GOOGLE_API_KEY", "OPENAI_API_KEY"];

fn redaction_allowed(loaded: &Loaded) -> Vec<String> {
    match redaction_lists(loaded) {
        Redaction::On { allowed, .. } => allowed,
        Redaction::Off => Vec::new(),
    }
}

/// The same without what only shell commands need: for programs that settings name.
pub(crate) fn redacted_environment(loaded: &Loaded) -> Vec<Variable> {
    redacted(variables(loaded), &redaction(loaded))
}

/// For servers: secrets are left out whatever the settings say. What one needs stands in its `env`.
pub(crate) fn server_environment(loaded: &Loaded) -> HandedOn {
    let redaction = match redaction(loaded) {
        Redaction::Off => redaction_lists(loaded),
        on @ Redaction::On { .. } => on,
    };
    let all: Vec<Variable> = variables(loaded).collect();
    HandedOn::later(move || redacted(all, &redaction))
}

fn variables(loaded: &Loaded) -> impl Iterator<Item = Variable> {
    let variable = |(name, value): (&str, &str)| (OsString::from(name), OsString::from(value));
    loaded.env.iter().map(variable)
}

fn redaction(loaded: &Loaded) -> Redaction {
    let redacts = loaded
        .merged
        .get("security.environmentVariableRedaction.enabled");
    match redacts.and_then(Value::as_bool) {
        Some(true) => redaction_lists(loaded),
        Some(false) | None => Redaction::Off,
    }
}

fn redaction_lists(loaded: &Loaded) -> Redaction {
    let texts = |name: &str| -> Vec<String> {
        let list = loaded.merged.get(name).and_then(Value::as_array);
        let texts = list.into_iter().flatten().filter_map(Value::as_str);
        texts.map(str::to_owned).collect()
    };
    Redaction::On {
        allowed: texts("security.environmentVariableRedaction.allowed"),
        blocked: texts("security.environmentVariableRedaction.blocked"),
    }
}
