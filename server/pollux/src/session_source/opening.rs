//! What a model is told before the person's first word.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use pollux_agent::agents::Agents;
use pollux_agent::prompt::{
    Audience, CalendarDate, ImportFormat, Material, Memory, MemoryNames, MemorySettings,
    ModelFamily, Repository, Sandbox, SessionFacts, Switches, SystemBody, SystemInstructions,
    SystemState, TaskTracker, Trust, assemble, folder_tree,
};
use pollux_model::Content;
use pollux_settings::Loaded;

use super::system_file::{OwnPromptError, own_prompt};
use crate::disk_surroundings::Ignored;
use crate::equipment;
use crate::prompt_files::{DiskReading, OwnFilesReading};

#[derive(Clone)]
pub(super) struct Facts {
    pub(super) loaded: Arc<Loaded>,
    pub(super) folder: PathBuf,
    /// Folders beside it that the session may use.
    pub(super) places: Vec<PathBuf>,
    pub(super) temporary_folder: PathBuf,
    pub(super) model: String,
    pub(super) audience: Audience,
    pub(super) tools: BTreeSet<String>,
    pub(super) sandbox: Sandbox,
    pub(super) plans_folder: PathBuf,
    pub(super) agents: Arc<dyn Agents>,
}

/// How a session begins.
pub(super) struct Opening {
    pub(super) instructions: SystemInstructions,
    pub(super) context: Content,
    pub(super) memory: Memory,
}

pub(super) async fn opening(facts: Facts) -> Result<Opening, OwnPromptError> {
    let settings = &facts.loaded.merged;
    let replacement = own_prompt(&facts.loaded, &facts.folder).await?;
    let strings = |path: &str| -> Vec<String> {
        match settings.get(path) {
            Some(serde_json::Value::String(text)) => vec![text.clone()],
            Some(serde_json::Value::Array(values)) => values
                .iter()
                .filter_map(|value| value.as_str().map(str::to_owned))
                .collect(),
            _ => Vec::new(),
        }
    };
    let markers = match settings.get("context.memoryBoundaryMarkers") {
        Some(_) => strings("context.memoryBoundaryMarkers"),
        None => vec![MemorySettings::DEFAULT_BOUNDARY.to_owned()],
    };
    let flat = settings
        .get("context.importFormat")
        .and_then(|value| value.as_str());
    let memory = MemorySettings {
        names: MemoryNames::new(&strings("context.fileName")),
        boundary_markers: markers,
        import_format: match flat {
            Some("flat") => ImportFormat::Flat,
            _ => ImportFormat::Tree,
        },
        global_folder: facts.loaded.locations.gemini_dir.clone(),
        user_project_folder: facts.temporary_folder.join("memory"),
        extension_files: Vec::new(),
        roots: vec![facts.folder.clone()],
        trust: match facts.loaded.trust.is_trusted() {
            true => Trust::Trusted,
            false => Trust::Untrusted,
        },
    };
    let reading = OwnFilesReading {
        root: facts.folder.clone(),
    };
    let memory = Memory::load(&reading, memory).await;
    let wants_tree = settings
        .get("context.includeDirectoryTree")
        .and_then(|value| value.as_bool())
        .unwrap_or(true);
    let ignored = Ignored {
        root: facts.folder.clone(),
        files: equipment::search(&facts.loaded).ignore,
    };
    let trees = match wants_tree {
        true => vec![folder_tree(&DiskReading, &facts.folder, &*ignored.now()).await],
        false => Vec::new(),
    };
    let session = SessionFacts {
        date: CalendarDate::of_local_seconds(seconds_now()),
        operating_system: std::env::consts::OS.to_owned(),
        folders: [vec![facts.folder.clone()], facts.places].concat(),
        temporary_folder: facts.temporary_folder,
        trees,
    };
    let system = SystemState {
        audience: facts.audience,
        repository: match facts.folder.join(".git").exists() {
            true => Repository::Git,
            false => Repository::None,
        },
        family: ModelFamily::of(&facts.model),
        sandbox: facts.sandbox,
        task_tracker: match facts.tools.contains("tracker_create_task") {
            true => TaskTracker::On,
            false => TaskTracker::Off,
        },
        tools: facts.tools,
        ..SystemState::default()
    };
    let environment = &facts.loaded.env;
    let switches = Switches::from_environment(|name| environment.get(name));
    let assembled = assemble(Material {
        system: &system,
        switches: &switches,
        body: SystemBody::Sections,
        session: &session,
        memory: memory.texts(),
        servers: &[],
        editor: None,
        prompt: Vec::new(),
    });
    Ok(Opening {
        instructions: SystemInstructions {
            state: system,
            switches,
            replacement,
            memory: memory.texts().clone(),
            plans_folder: facts.plans_folder,
            agents: Some(facts.agents),
        },
        context: assembled.context,
        memory,
    })
}

fn seconds_now() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |time| i64::try_from(time.as_secs()).unwrap_or(0))
}
