//! Sessions as the host opens them: model, files, prompt and record by the settings of a folder.

mod around;
mod attached;
mod commanding;
mod delegated;
mod delegating;
mod edits;
mod expiry;
mod extras;
mod hooking;
mod kept;
mod local;
mod model_list;
mod models;
mod opening;
mod options;
mod past;
mod preparing;
mod record;
mod recording;
mod showing;
mod system_file;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use pollux_agent::api::{Event, NewVoices};
use pollux_agent::prompt::Audience;
use pollux_agent::{
    Baggage, CommandLine, Commands, Instructions, PromptState, Session, SessionConfig, Terminals,
    command_list,
};
use pollux_model::{ApiKey, ChainMode, Content, Pace, Role};
use pollux_policy::ApprovalMode;
use pollux_sessions::{
    Project, RandomIds, Recorded, SessionIndex, SessionRef, delete_session, find_session,
    history_of, list_sessions, project_for, registered_folders, resume_session, unrecorded_prompts,
};
use pollux_settings::{EditorTrust, Environment, Loaded, Locations};
use pollux_workspace::{
    DoorContext, Mention, MentionQuery, ModelList, OpenedSession, Rooms, SessionError, SessionId,
    SessionRequest, SessionSource, SessionSummary, WithoutKey,
};

use tokio::sync::mpsc;

use crate::agents::SessionAgents;
use crate::mcp_servers::McpServers;
use crate::mentions::Mentions;
use crate::{custom_commands, environment, equipment, frugal, keychain};
use around::Around;
use commanding::Commanding;
pub(crate) use expiry::Expiry;
pub(crate) use local::LocalModels;
use models::{Chosen, KeyFrom, Service, Wanted, Why};
use past::Told;
use preparing::{Answering, Own, Prepared};
use record::Record;
use recording::Recording;
pub(crate) use showing::ShownSession;

/// Opens what the settings say. Needs a tokio runtime, and a thread that may block.
pub(crate) struct Configured {
    pub(crate) demo_pace: Pace,
    pub(crate) audience: Audience,
    /// How much may be done without asking, to begin with. Nothing: what the settings say.
    pub(crate) mode: Option<ApprovalMode>,
    /// Rule files instead of the user's own.
    pub(crate) policy_paths: Vec<PathBuf>,
    /// Tools that are allowed beyond what the settings say.
    pub(crate) allowed_tools: Vec<String>,
    /// The rooms whose editors a session sees; none for a terminal.
    pub(crate) rooms: Option<Arc<Rooms>>,
    pub(crate) mentions: Mentions,
    /// The servers of the folders that have sessions.
    pub(crate) servers: McpServers,
    pub(crate) local_models: LocalModels,
    /// What is known of the recorded sessions.
    pub(crate) index: Arc<SessionIndex>,
    pub(crate) expiry: Expiry,
}

impl Configured {
    /// Fast enough not to bore, slow enough to be seen as a stream.
    pub(crate) const READABLE: Pace = Pace::PerWord(Duration::from_millis(12));
}

impl SessionSource for Configured {
    fn open(&self, request: &SessionRequest) -> Result<OpenedSession, SessionError> {
        let door = environment::of_door(&request.context);
        let trust = EditorTrust::from(request.trusted);
        let loaded = pollux_settings::load(&door, &request.folder, trust);
        let Chosen { voices, service } = self.choose(&loaded, &door, request)?;
        let chain = voices.chain(voices.requested(), ChainMode::Normal);
        let model = chain.policies().next().map_or_else(
            || voices.requested().to_owned(),
            |policy| policy.model.clone(),
        );
        let first = voices.voice(&model, None).ok();
        let project = project_for(&loaded.locations, &request.folder, SystemTime::now())
            .map_err(not_possible)?
            .with_index(Arc::clone(&self.index));
        let Record {
            recorder,
            messages,
            title: recorded_title,
            underway,
            waiting,
            spent,
        } = record::open(&project, &request.which)?;
        let shown = history_of(&messages);
        let history = history_of(&past::kept(&messages));
        let id = SessionId::from(recorder.session_id().as_str());
        let scratch = pollux_settings::real_path(&project.folder.join(id.as_str()));
        let mut places = vec![scratch.clone()];
        places.extend(request.wishes.places.iter().cloned());
        let (listener, decided) = mpsc::unbounded_channel();
        let Around {
            files,
            surroundings,
            changes,
        } = self.around(&loaded, request, &id, scratch.clone(), listener);
        let terminals = Arc::new(Terminals::default());
        let answering = Answering {
            model: &model,
            service,
        };
        let prepared = self.prepare(
            &loaded,
            &door,
            request,
            Own {
                scratch,
                changes,
                terminals: Arc::clone(&terminals),
                recorded_as: Some(recorder.session_id().clone()),
            },
            &project,
            answering,
        )?;
        let Prepared {
            tools,
            gate,
            mode,
            opening,
            facts,
            scratch: scratch_files,
            plans,
            agents,
            in_use,
        } = prepared;
        let now = PromptState {
            mode,
            topic: None,
            model: model.clone(),
        };
        // Only if it is wanted: to write it, one has to look who there is to hand a job to.
        system_file::write_prompt(&loaded, &request.folder, || opening.instructions.text(&now));
        let hooks = hooking::hooks(
            &loaded,
            hooking::About {
                folder: &request.folder,
                session: id.as_str(),
                transcript: recorder.path().to_owned(),
                plans,
            },
        );
        let begins = Event::Opened {
            mode,
            model: model.clone(),
            title: recorded_title.clone().or_else(|| first_prompt(&shown)),
            context_window: first.and_then(|voice| voice.model.known_token_limit()),
        };
        let delegated = delegated::read(&project, recorder.session_id(), &messages);
        let recollection = past::Recollection {
            history: &shown,
            messages: &messages,
            model: &model,
            tools: &tools,
            delegated: &delegated,
        };
        let Told {
            events: mut past,
            marks,
            questions,
        } = past::tell(begins, &recollection);
        let prices = options::prices(&loaded);
        past.extend(prices.cost_before(&model, &spent).map(Event::CostGrown));
        let config = SessionConfig {
            voices,
            files,
            surroundings: Some(surroundings),
            root: request.folder.clone(),
            places,
            instructions: Some(Arc::new(opening.instructions)),
            opening: vec![opening.context],
            turn_limit: options::turn_limit(&loaded),
            loop_detection: options::loop_detection(&loaded),
            continuation_limit: SessionConfig::CONTINUATION_LIMIT,
            tools,
            gate: Arc::new(gate),
            hooks,
            mode,
            context: options::context(&loaded, &id, scratch_files),
            commands: Some(self.commanding(request, facts, agents)),
        };
        // A command line that asks one thing has it in its hands, and leaves to the chat what waits there.
        let (underway, waiting) = match self.audience {
            Audience::Interactive => (underway, waiting),
            Audience::Headless => (None, Vec::new()),
        };
        let (recording, keeping) = Recording::new(recorder, underway);
        let baggage = Baggage {
            turns: turns(&past),
            marks,
            title: recorded_title,
            history,
            journal: Box::new(recording),
            keeper: Arc::new(keeping),
            waiting,
            prices,
            spent,
            questions,
            memory: Some(opening.memory),
        };
        let (handle, events) = Session::start(config, baggage);
        self.expiry.start(&project, &loaded.merged, id.as_str());
        Ok(OpenedSession {
            id,
            model,
            handle,
            events,
            terminals,
            decided,
            past,
            in_use,
        })
    }

    fn list(&self, context: &DoorContext, folder: &Path) -> Vec<SessionSummary> {
        let Some(project) = self.project(context, folder) else {
            return Vec::new();
        };
        let Ok(listing) = list_sessions(&project, None) else {
            return Vec::new();
        };
        let summary = |info: pollux_sessions::SessionInfo| SessionSummary {
            id: SessionId::from(info.id.as_str()),
            title: info.title,
            updated: milliseconds(info.last_updated),
            messages: info.messages,
            first_prompt: info.first_prompt,
        };
        let known = listing.sessions.iter().map(|info| info.id.clone());
        let known: BTreeSet<pollux_sessions::SessionId> = known.collect();
        // What was typed into a session that was never recorded can be gone back to as well.
        let left = unrecorded_prompts(&project, |id| known.contains(id)).unwrap_or_default();
        let recorded = listing.sessions.into_iter().map(summary);
        recorded.chain(left.iter().map(record::waiting)).collect()
    }

    fn delete(
        &self,
        context: &DoorContext,
        folder: &Path,
        which: &str,
    ) -> Result<(), SessionError> {
        let missing = || SessionError::NotFound(format!("there is no session {which}"));
        let project = self.project(context, folder).ok_or_else(missing)?;
        let wanted = SessionRef::parse(which);
        delete_session(&project, &wanted, None).map_err(not_found)?;
        Ok(())
    }

    fn find(&self, context: &DoorContext, folder: &Path, which: &str) -> Option<SessionId> {
        let reference = SessionRef::parse(which);
        if let SessionRef::Id(id) = reference {
            return Some(SessionId::from(id.as_str()));
        }
        let found = find_session(&self.project(context, folder)?, &reference).ok()?;
        Some(SessionId::from(found.id.as_str()))
    }

    fn rename(
        &self,
        context: &DoorContext,
        folder: &Path,
        which: &str,
        title: &str,
    ) -> Result<(), SessionError> {
        let missing = || SessionError::NotFound(format!("there is no session {which}"));
        let project = self.project(context, folder).ok_or_else(missing)?;
        let wanted = SessionRef::parse(which);
        let resumed = resume_session(&project, &wanted, SystemTime::now(), Box::new(RandomIds));
        let mut recorder = resumed.map_err(not_found)?.recorder;
        match recorder
            .set(recording::title(title))
            .map_err(not_possible)?
        {
            Recorded::Kept => Ok(()),
            Recorded::Off | Recorded::SwitchedOff => Err(SessionError::NotPossible(
                "the title could not be written: the disk is full".to_owned(),
            )),
        }
    }

    fn mentions(&self, query: &MentionQuery) -> Vec<Mention> {
        let request = &query.request;
        let door = environment::of_door(&request.context);
        let trust = EditorTrust::from(request.trusted);
        let loaded = pollux_settings::load(&door, &request.folder, trust);
        self.mentions.find(query, equipment::search(&loaded).ignore)
    }

    fn models(&self, request: &SessionRequest) -> ModelList {
        let door = environment::of_door(&request.context);
        let trust = EditorTrust::from(request.trusted);
        let loaded = pollux_settings::load(&door, &request.folder, trust);
        let local = models::of_ollama(&loaded, &door, &self.local_models);
        match self.choose(&loaded, &door, request) {
            Ok(chosen) => model_list::list(&chosen, local),
            // Whoever cannot have what is set up can still look at the demo.
            Err(_) => model_list::demo_only(local),
        }
    }

    fn closed(&self) {
        frugal::give_back();
    }

    fn voices(&self, request: &SessionRequest) -> Result<NewVoices, SessionError> {
        commanding::voices(request, self.demo_pace)
    }

    fn folders(&self, context: &DoorContext) -> Vec<PathBuf> {
        let door = environment::of_door(context);
        let folders = registered_folders(&Locations::new(&door, &context.folder));
        folders
            .into_iter()
            .filter(|folder| folder.is_dir())
            .collect()
    }

    fn can_answer(&self, request: &SessionRequest) -> Result<(), SessionError> {
        let door = environment::of_door(&request.context);
        let trust = EditorTrust::from(request.trusted);
        let loaded = pollux_settings::load(&door, &request.folder, trust);
        self.choose(&loaded, &door, request).map(drop)
    }

    fn forget_key(&self, context: &DoorContext) -> Result<(), SessionError> {
        let door = environment::of_door(context);
        keychain::forget(&door).map_err(|error| SessionError::NotPossible(error.to_string()))
    }

    fn commands(&self, request: &SessionRequest) -> Vec<CommandLine> {
        let door = environment::of_door(&request.context);
        let trust = EditorTrust::from(request.trusted);
        let loaded = pollux_settings::load(&door, &request.folder, trust);
        let offering = self.servers.offering(request, &loaded);
        let custom = custom_commands::load(&loaded, &request.folder);
        command_list(&custom, &offering)
    }
}

impl Configured {
    /// The recorded sessions of a folder, if it ever had any.
    fn project(&self, context: &DoorContext, folder: &Path) -> Option<Project> {
        Some(project(context, folder)?.with_index(Arc::clone(&self.index)))
    }

    fn choose(
        &self,
        loaded: &Loaded,
        door: &Environment,
        request: &SessionRequest,
    ) -> Result<Chosen, SessionError> {
        let keychain = || keychain::key_for_session(door);
        let wanted = Wanted::by(request);
        let chosen = models::choose(loaded, door, wanted, self.demo_pace, keychain)
            .map_err(|error| SessionError::ModelRefused(error.to_string()))?;
        let is_refused = request.wishes.without_key == WithoutKey::Refused;
        match chosen.service {
            Service::Demo(Why::NothingElse) if is_refused => Err(SessionError::KeyMissing(
                "there is no key: set GEMINI_API_KEY or run `pollux auth`".to_owned(),
            )),
            _ => Ok(chosen),
        }
    }

    fn commanding(
        &self,
        request: &SessionRequest,
        facts: opening::Facts,
        agents: Arc<SessionAgents>,
    ) -> Arc<dyn Commands> {
        Arc::new(Commanding {
            request: request.clone(),
            demo_pace: self.demo_pace,
            facts,
            agents,
        })
    }
}

/// Who would answer in a folder, in words for a person.
pub(crate) fn answering_model(
    loaded: &Loaded,
    door: &Environment,
    keychain: &Result<Option<ApiKey>, keychain::KeychainError>,
) -> String {
    let stored = || keychain.as_ref().ok().cloned().flatten();
    match models::choose(loaded, door, Wanted::default(), Pace::Instant, stored) {
        Ok(chosen) => {
            let name = chosen.voices.requested();
            match chosen.service {
                Service::Demo(_) if keychain.is_err() => {
                    "the offline demo; set GEMINI_API_KEY for a real one".to_owned()
                }
                Service::Demo(_) => {
                    "the offline demo; set GEMINI_API_KEY or run `pollux auth` for a real one"
                        .to_owned()
                }
                Service::Gemini(KeyFrom::Keychain) => {
                    format!("{name}, with the key from the keychain")
                }
                Service::Gemini(KeyFrom::Environment | KeyFrom::Nowhere)
                | Service::ChatCompletions => name.to_owned(),
            }
        }
        Err(error) => error.to_string(),
    }
}

/// The recorded sessions of a folder, if it ever had any.
pub(crate) fn project(context: &DoorContext, folder: &Path) -> Option<Project> {
    let door = environment::of_door(context);
    Project::find(&Locations::new(&door, folder), folder)
}

/// What was said first, in one line.
fn first_prompt(history: &[Content]) -> Option<String> {
    let said = history.iter().find(|content| content.role == Role::User)?;
    let text = said.parts.iter().find_map(|part| part.as_text())?;
    let line = one_line(text);
    (!line.is_empty()).then_some(line)
}

fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().take(100).collect()
}

/// New turns are numbered behind those that were.
fn turns(past: &[Event]) -> u64 {
    let started = |event: &Event| match event {
        Event::TurnStarted { turn, .. } => Some(turn.0),
        _ => None,
    };
    past.iter().filter_map(started).max().unwrap_or_default()
}

fn milliseconds(time: SystemTime) -> u64 {
    let time = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

fn not_possible(error: pollux_sessions::SessionError) -> SessionError {
    let message = error.to_string();
    match error {
        pollux_sessions::SessionError::Io { source, .. } => SessionError::Storage {
            kind: source.kind(),
            message,
        },
        _ => SessionError::NotPossible(message),
    }
}

fn not_found(error: pollux_sessions::SessionError) -> SessionError {
    match error {
        pollux_sessions::SessionError::Io { .. } => not_possible(error),
        error => SessionError::NotFound(error.to_string()),
    }
}
