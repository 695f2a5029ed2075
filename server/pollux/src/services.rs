//! What every door of a host shares.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pollux_agent::prompt::Audience;
use pollux_lsp::Host;
use pollux_mcp::companion::Companions;
use pollux_mcp::serve::{Front, Outlook, Proposals};
use pollux_settings::{EditorTrust, Environment, Locations};
use pollux_workspace::{
    Configuration, ConfigurationSource, Disk, DoorContext, FileClients, Rooms, Sessions, Trust,
};

use crate::disk_files::{AttendedDisk, ReviewedDisk};
use crate::disk_surroundings::Ignored;
use crate::doctor::{self, HostReport};
use crate::environment;
use crate::equipment;
use crate::mentions::Mentions;
use crate::session_source::Configured;

#[derive(Clone)]
pub(crate) struct Services {
    pub(crate) rooms: Arc<Rooms>,
    pub(crate) sessions: Arc<Sessions>,
    /// Agents outside come in by these.
    pub(crate) companions: Companions,
    /// Clients of the agent that hold files.
    files: Arc<FileClients>,
    /// What clients of the editor have proposed.
    proposals: Arc<Proposals>,
}

impl Services {
    /// Other processes can hand over their edits at the socket, if there is one.
    pub(crate) fn new(socket: Option<PathBuf>) -> Self {
        // The records are the host's: a room has doors of many environments.
        let files = Arc::new(FileClients::default());
        let rooms = attended(&environment::of_this_process(), Arc::clone(&files));
        let rooms = match socket {
            Some(socket) => rooms.taking_edits_at(socket),
            None => rooms,
        };
        let rooms = Arc::new(rooms);
        let sessions = Sessions::new(Arc::new(Configured {
            demo_pace: Configured::READABLE,
            audience: Audience::Interactive,
            mode: None,
            policy_paths: Vec::new(),
            allowed_tools: Vec::new(),
            rooms: Some(Arc::clone(&rooms)),
            mentions: Mentions::default(),
            servers: Default::default(),
            local_models: Default::default(),
            index: Default::default(),
            expiry: Default::default(),
        }));
        rooms.follow(sessions.questions());
        let companions = Companions::start(&rooms, Arc::clone(&sessions));
        Self {
            rooms,
            files,
            proposals: Arc::new(Proposals::new(Arc::clone(&sessions))),
            sessions,
            companions,
        }
    }

    /// A way in for clients that want to know what the editor does.
    pub(crate) fn front(&self, context: DoorContext) -> Arc<Front> {
        let folder = context.folder.clone();
        let environment = environment::of_door(&context);
        let outlook = Outlook {
            rooms: Arc::clone(&self.rooms),
            proposals: Arc::clone(&self.proposals),
            ignoring: Arc::new(move |root| {
                // Which files are ignored is read from the person's settings and from those of the folder if it is trusted.
                let loaded = pollux_settings::load(&environment, root, EditorTrust::Unsaid);
                let ignored = Ignored {
                    root: root.to_owned(),
                    files: equipment::search(&loaded).ignore,
                };
                ignored.now()
            }),
        };
        Front::new(&outlook, &folder)
    }

    pub(crate) fn acp(&self) -> pollux_acp::Host {
        pollux_acp::Host {
            sessions: Arc::clone(&self.sessions),
            files: Arc::clone(&self.files),
        }
    }

    pub(crate) fn lsp(&self) -> Host {
        let rooms = Arc::clone(&self.rooms);
        Host {
            rooms: Arc::clone(&self.rooms),
            sessions: Arc::clone(&self.sessions),
            doctor: Arc::new(move |context, roots| {
                let host = HostReport::of_this_process(&rooms);
                doctor::examine(context, roots, Some(host)).to_string()
            }),
        }
    }
}

/// Rooms that keep their reviews where the person's other files are, for a process that ends with its task.
pub(crate) fn rooms(environment: &Environment) -> Rooms {
    attended(environment, Arc::default()).without_patience()
}

/// Where the records of all reviews lie.
pub(crate) fn records(environment: &Environment) -> PathBuf {
    let locations = Locations::new(environment, Path::new("/"));
    locations.gemini_dir.join("pollux").join("reviews")
}

/// The same, with clients that hold files.
fn attended(environment: &Environment, clients: Arc<FileClients>) -> Rooms {
    let records = records(environment);
    let disk = AttendedDisk {
        disk: disk(environment),
        clients,
    };
    let rooms = Rooms::new(Arc::new(SettingsFiles), Arc::new(disk));
    rooms.recording_in(records)
}

/// The files of all rooms. What is built for debugging can be told to die while it writes.
fn disk(environment: &Environment) -> Arc<dyn Disk> {
    #[cfg(all(debug_assertions, unix))]
    if let Some(folder) = environment.get("POLLUX_RUNTIME_DIR") {
        let order = Path::new(folder).join(crate::disk_files::ORDER);
        return Arc::new(crate::disk_files::KilledDisk { order });
    }
    let _only_for_debugging = environment;
    Arc::new(ReviewedDisk)
}

/// The twin's settings files, as the room wants to know them.
struct SettingsFiles;

impl ConfigurationSource for SettingsFiles {
    fn load(
        &self,
        roots: &[PathBuf],
        context: &DoorContext,
        trusted: Option<bool>,
    ) -> Configuration {
        let environment = environment::of_door(context);
        let mut problems = Vec::new();
        let mut all_trusted = !roots.is_empty();
        for root in roots {
            let loaded = pollux_settings::load(&environment, root, EditorTrust::from(trusted));
            all_trusted &= loaded.trust.is_trusted();
            for problem in loaded.problems {
                // The user's own files are read once for each root.
                let text = problem.to_string();
                if !problems.contains(&text) {
                    problems.push(text);
                }
            }
        }
        Configuration {
            // One folder that is not trusted could reach the others.
            trust: match all_trusted {
                true => Trust::Trusted,
                false => Trust::Untrusted,
            },
            problems,
        }
    }
}
