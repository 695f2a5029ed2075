//! Everything that a session has besides its model and its files: tools, rules, servers, and what the model is told first.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pollux_agent::agents::Agents;
use pollux_agent::prompt::{Audience, Sandbox};
use pollux_agent::{
    Discovered, Fetching, Gate, Offered, Scratch, Servers, ShellChanges, Terminals, ToolSet,
};
use pollux_policy::{ApprovalMode, Presence, Trust};
use pollux_sessions::Project;
use pollux_settings::{Environment, Loaded};
use pollux_workspace::{InUse, SessionError, SessionRequest};

use super::Configured;
use super::delegating::RecordedAs;
use super::models::{self, Service};
use super::opening::{self, Opening};
use crate::agents::SessionAgents;
use crate::mcp_servers::{self, Pauses};
use crate::policy::{Loading, PolicyFiles, PolicyGate};
use crate::programs::ChildPrograms;
use crate::{equipment, undo};

/// The model that answers first, and whose it is.
#[derive(Clone, Copy)]
pub(super) struct Answering<'a> {
    pub(super) model: &'a str,
    pub(super) service: Service,
}

/// What a session keeps its own files in, and who takes in what its commands change.
pub(super) struct Own {
    pub(super) scratch: PathBuf,
    pub(super) changes: Arc<dyn ShellChanges>,
    /// Of those who show it.
    pub(super) terminals: Arc<Terminals>,
    pub(super) recorded_as: RecordedAs,
}

pub(super) struct Prepared {
    pub(super) tools: ToolSet,
    pub(super) gate: PolicyGate,
    pub(super) mode: ApprovalMode,
    pub(super) opening: Opening,
    pub(super) facts: opening::Facts,
    pub(super) scratch: Option<Arc<dyn Scratch>>,
    /// The folder of plans.
    pub(super) plans: PathBuf,
    pub(super) agents: Arc<SessionAgents>,
    pub(super) in_use: InUse,
}

impl Configured {
    fn gate(&self, loaded: &Loaded, request: &SessionRequest) -> PolicyGate {
        let load = {
            let (loaded, folder) = (loaded.clone(), request.folder.clone());
            let (instead, allowed) = (self.policy_paths.clone(), self.allowed_tools.clone());
            move || {
                PolicyFiles::load(&Loading {
                    loaded: &loaded,
                    folder: &folder,
                    instead: &instead,
                    allowed: &allowed,
                })
            }
        };
        let files = load();
        for problem in &files.problems {
            tracing::warn!(%problem, "policy");
        }
        let presence = match self.audience {
            Audience::Interactive => Presence::Interactive,
            Audience::Headless => Presence::Headless,
        };
        let trust = match loaded.trust.is_trusted() {
            true => Trust::Trusted,
            false => Trust::Untrusted,
        };
        let reload = Box::new(move || load().policy);
        let gate = PolicyGate::new(files, reload, presence, trust, request.folder.clone());
        gate.for_variables(loaded.env.iter().map(|(name, _)| name))
    }

    /// The servers that the settings name. They connect while the session is already there; only who asks one thing
    /// and goes waits for them.
    fn servers(
        &self,
        loaded: &Loaded,
        door: &Environment,
        request: &SessionRequest,
    ) -> Option<Arc<dyn Servers>> {
        let network = models::network(loaded, door);
        let rooms = self.rooms.as_ref();
        let pauses = match self.audience {
            Audience::Interactive => Pauses::default(),
            Audience::Headless => Pauses::at_once(),
        };
        let connections = self.servers.of(request, loaded, network, rooms, pauses)?;
        if self.audience == Audience::Headless {
            let runtime = tokio::runtime::Handle::current();
            runtime.block_on(mcp_servers::settled(&connections));
        }
        Some(connections)
    }

    /// What was asked for, else what the settings say, as far as the folder's trust allows.
    fn mode(&self, loaded: &Loaded, gate: &PolicyGate) -> ApprovalMode {
        let configured = loaded.merged.get("general.defaultApprovalMode");
        let configured = configured.and_then(|mode| ApprovalMode::parse(mode.as_str()?));
        let mode = self.mode.or(configured).unwrap_or_default();
        match gate.may_enter(mode) {
            true => mode,
            false => ApprovalMode::Default,
        }
    }

    /// Everything a session has besides its model and its files.
    pub(super) fn prepare(
        &self,
        loaded: &Loaded,
        door: &Environment,
        request: &SessionRequest,
        own: Own,
        project: &Project,
        answering: Answering<'_>,
    ) -> Result<Prepared, SessionError> {
        let Answering { model, service } = answering;
        let Own {
            scratch,
            changes,
            terminals,
            recorded_as,
        } = own;
        let shared = Arc::new(loaded.clone());
        let agents = self.agents(Arc::clone(&shared), request, project, recorded_as);
        let gate = self.gate(loaded, request);
        let mode = self.mode(loaded, &gate);
        let runtime = tokio::runtime::Handle::current();
        let discovered = runtime.block_on(discovered(loaded, &request.folder));
        let servers = self.servers(loaded, door, request);
        let grounded = models::grounds(service, model);
        let equipment = equipment::equipment(&equipment::Place {
            loaded,
            folder: &request.folder,
            scratch: scratch.clone(),
            kept: undo::store(&loaded.locations, &project.slug),
            changes,
            terminals: Some(terminals),
            audience: self.audience,
            network: models::network(loaded, door),
            fetching: match grounded {
                true => Fetching::Answered,
                false => Fetching::Direct,
            },
            web_search: match grounded {
                true => Offered::Yes,
                false => Offered::No,
            },
            discovered,
            servers,
            agents: Arc::clone(&agents) as Arc<dyn Agents>,
        });
        let plans_folder = match &equipment.plans {
            Some(plans) => plans.place(&request.folder),
            None => scratch.join("plans"),
        };
        let sandbox = match equipment
            .shell
            .as_ref()
            .and_then(|shell| shell.sandbox.as_ref())
        {
            Some(_) => Sandbox::Confined,
            None => Sandbox::Off,
        };
        let background = equipment
            .shell
            .as_ref()
            .map(|shell| Arc::clone(&shell.background));
        let in_use: InUse = Arc::new(move || {
            background.as_ref().is_some_and(|background| {
                // Somebody who looks at them uses the session.
                background.try_lock().map_or(true, |background| {
                    let commands = background.list();
                    commands.iter().any(|command| command.ended.is_none())
                })
            })
        });
        let tools = ToolSet::built_in(&equipment);
        let facts = opening::Facts {
            loaded: shared,
            folder: request.folder.clone(),
            places: request.wishes.places.clone(),
            temporary_folder: project.folder.clone(),
            model: model.to_owned(),
            audience: self.audience,
            tools: tools.names().into_iter().collect(),
            sandbox,
            plans_folder: plans_folder.clone(),
            agents: Arc::clone(&agents) as Arc<dyn Agents>,
        };
        let opening = runtime
            .block_on(opening::opening(facts.clone()))
            .map_err(|error| SessionError::Misconfigured(error.to_string()))?;
        Ok(Prepared {
            tools,
            gate,
            mode,
            opening,
            facts,
            scratch: equipment.scratch,
            plans: plans_folder,
            agents,
            in_use,
        })
    }
}

/// The tools that a trusted project brings along. A program that fails is told in the log; the session starts.
async fn discovered(loaded: &Loaded, folder: &Path) -> Discovered {
    let setting = |name: &str| loaded.merged.get(name).and_then(|value| value.as_str());
    let Some(command) = setting("tools.discoveryCommand").filter(|_| loaded.trust.is_trusted())
    else {
        return Discovered::default();
    };
    let call = setting("tools.callCommand");
    match Discovered::find(Arc::new(ChildPrograms), command, call, folder).await {
        Ok(discovered) => discovered,
        Err(error) => {
            tracing::warn!(%error, "the project's own tools are not there");
            Discovered::default()
        }
    }
}
