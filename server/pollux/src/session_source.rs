//! Sessions as the host opens them: model, files, prompt and record by the settings of a folder.

mod commanding;
mod expiry;
mod extras;
mod hooking;
mod kept;
mod model_list;
mod models;
mod opening;
mod past;
mod recording;
mod system_file;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use pollux_agent::api::{Event, NewVoices, Prompt};
use pollux_agent::prompt::{Audience, Sandbox};
use pollux_agent::{
    Baggage, CommandLine, Commands, ContextOptions, Discovered, Fetching, Files, Gate,
    Instructions, LoopDetection, NextSpeaker, Offered, PlanRouting, PromptState, Routing, Scratch,
    Servers, Session, SessionConfig, ShellChanges, Surroundings, ToolSet, Unwatched, command_list,
};
use pollux_model::{ApiKey, Content, Pace, Request, Role, known_token_limit};
use pollux_policy::{ApprovalMode, Presence, Trust};
use pollux_sessions::{
    Left, Message, NewSession, Place, Project, RandomIds, Recorded, Recorder, SessionRef, Underway,
    delete_session, find_session, history_of, list_sessions, project_for, registered_folders,
    resume_session,
};
use pollux_settings::{EditorTrust, Environment, Loaded, Locations};
use pollux_workspace::{
    DoorContext, Mention, MentionQuery, ModelList, OpenedSession, Rooms, SessionError, SessionId,
    SessionRequest, SessionSource, SessionSummary, Which, WithoutKey,
};

use tokio::sync::mpsc;

use crate::disk_files::DiskFiles;
use crate::disk_surroundings::{DiskSurroundings, Ignored};
use crate::mcp_servers::{self, McpServers};
use crate::mentions::Mentions;
use crate::policy::{Loading, PolicyFiles, PolicyGate};
use crate::programs::ChildPrograms;
use crate::room_view::{Places, RoomView};
use crate::{environment, equipment, keychain, undo};
use commanding::Commanding;
use models::{Chosen, KeyFrom, Service, Wanted, Why};
use opening::Opening;
use recording::Recording;

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
        let chain = voices.chain(voices.requested());
        let model = chain.policies().next().map_or_else(
            || voices.requested().to_owned(),
            |policy| policy.model.clone(),
        );
        let project = project_for(&loaded.locations, &request.folder, SystemTime::now())
            .map_err(not_possible)?;
        let Record {
            recorder,
            messages,
            title: recorded_title,
            underway,
            waiting,
        } = record(&project, &request.which)?;
        let history = history_of(&messages);
        let id = SessionId::from(recorder.session_id().as_str());
        let scratch = pollux_settings::real_path(&project.folder.join(id.as_str()));
        let mut places = vec![scratch.clone()];
        places.extend(request.wishes.places.iter().cloned());
        let ignored = Ignored {
            root: request.folder.clone(),
            files: equipment::search(&loaded).ignore,
        };
        let (listener, decided) = mpsc::unbounded_channel();
        let around: Around = match &self.rooms {
            Some(rooms) => {
                let seen = ignored.clone();
                let folder = request.folder.clone();
                let around = Places {
                    own: scratch.clone(),
                    beside: request.wishes.places.clone(),
                };
                let view = RoomView::new(rooms, id.clone(), folder, around, ignored);
                let view = Arc::new(view);
                view.listen(listener);
                Around {
                    files: view.clone(),
                    surroundings: match self.audience {
                        Audience::Interactive => view.clone(),
                        // There is no editor to tell of.
                        Audience::Headless => Arc::new(DiskSurroundings { ignored: seen }),
                    },
                    changes: view,
                }
            }
            None => {
                let files = DiskFiles::new(request.folder.clone()).and_in(places.clone());
                Around {
                    files: Arc::new(files),
                    surroundings: Arc::new(DiskSurroundings { ignored }),
                    changes: Arc::new(Unwatched),
                }
            }
        };
        let Around {
            files,
            surroundings,
            changes,
        } = around;
        let answering = Answering {
            model: &model,
            service,
        };
        let prepared = self.prepare(
            &loaded,
            &door,
            request,
            Own { scratch, changes },
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
        } = prepared;
        let now = PromptState {
            mode,
            topic: None,
            model: model.clone(),
        };
        system_file::write_prompt(&loaded, &request.folder, &opening.instructions.text(&now));
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
            title: recorded_title.clone().or_else(|| first_prompt(&history)),
            context_window: known_token_limit(&model),
        };
        let recollection = past::Recollection {
            history: &history,
            messages: &messages,
            model: &model,
            tools: &tools,
        };
        let (past, marks) = past::events(begins, &recollection);
        let config = SessionConfig {
            voices,
            files,
            surroundings: Some(surroundings),
            root: request.folder.clone(),
            places,
            instructions: Some(Arc::new(opening.instructions)),
            opening: vec![opening.context],
            turn_limit: turn_limit(&loaded),
            loop_detection: loop_detection(&loaded),
            round_limit: SessionConfig::ROUND_LIMIT,
            tools,
            gate: Arc::new(gate),
            hooks,
            mode,
            context: context(&loaded, &id, scratch_files),
            commands: self.commanding(request, facts),
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
            keeper: Box::new(keeping),
            waiting,
            memory: Some(opening.memory),
        };
        let (handle, events) = Session::start(config, baggage);
        expiry::start(&project, &loaded.merged, id.as_str());
        Ok(OpenedSession {
            id,
            model,
            handle,
            events,
            decided,
            past,
        })
    }

    fn list(&self, context: &DoorContext, folder: &Path) -> Vec<SessionSummary> {
        let Some(project) = project(context, folder) else {
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
        listing.sessions.into_iter().map(summary).collect()
    }

    fn delete(
        &self,
        context: &DoorContext,
        folder: &Path,
        which: &str,
    ) -> Result<(), SessionError> {
        let missing = || SessionError::NotFound(format!("there is no session {which}"));
        let project = project(context, folder).ok_or_else(missing)?;
        let wanted = SessionRef::parse(which);
        delete_session(&project, &wanted, None).map_err(not_found)?;
        Ok(())
    }

    fn find(&self, context: &DoorContext, folder: &Path, which: &str) -> Option<SessionId> {
        let reference = SessionRef::parse(which);
        if let SessionRef::Id(id) = reference {
            return Some(SessionId::from(id.as_str()));
        }
        let found = find_session(&project(context, folder)?, &reference).ok()?;
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
        let project = project(context, folder).ok_or_else(missing)?;
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
        match self.choose(&loaded, &door, request) {
            Ok(chosen) => model_list::list(&chosen),
            // Whoever cannot have what is set up can still look at the demo.
            Err(_) => model_list::demo_only(),
        }
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
        command_list(&commanding::custom(request), &offering)
    }
}

impl Configured {
    /// What would be sent before the person's first word.
    pub(crate) fn shown_prompt(&self, request: &SessionRequest) -> Result<Request, SessionError> {
        let door = environment::of_door(&request.context);
        let trust = EditorTrust::from(request.trusted);
        let loaded = pollux_settings::load(&door, &request.folder, trust);
        let Chosen { voices, service } = self.choose(&loaded, &door, request)?;
        let voice = voices
            .voice(voices.requested(), None)
            .map_err(|error| SessionError::NotPossible(error.to_string()))?;
        let project = project_for(&loaded.locations, &request.folder, SystemTime::now())
            .map_err(not_possible)?;
        let own = Own {
            scratch: project.folder.join("shown"),
            changes: Arc::new(Unwatched),
        };
        let answering = Answering {
            model: voice.model.name(),
            service,
        };
        let prepared = self.prepare(&loaded, &door, request, own, &project, answering)?;
        let Prepared {
            tools,
            gate,
            mode,
            opening,
            ..
        } = prepared;
        let state = PromptState {
            mode,
            topic: None,
            model: voice.model.name().to_owned(),
        };
        Ok(Request {
            system_instruction: Some(opening.instructions.text(&state)),
            contents: vec![opening.context],
            tools: {
                let names = tools.names();
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                tools.declarations(mode, &gate.excluded(&names, mode))
            },
            generation: voice.generation,
        })
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
            .map_err(|error| SessionError::NotPossible(error.to_string()))?;
        let is_refused = request.wishes.without_key == WithoutKey::Refused;
        match chosen.service {
            Service::Demo(Why::NothingElse) if is_refused => Err(SessionError::KeyMissing(
                "there is no key: set GEMINI_API_KEY or run `pollux auth`".to_owned(),
            )),
            _ => Ok(chosen),
        }
    }

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
        PolicyGate::new(files, reload, presence, trust, request.folder.clone())
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
        let connections = self.servers.of(request, loaded, network, rooms)?;
        if self.audience == Audience::Headless {
            let runtime = tokio::runtime::Handle::current();
            runtime.block_on(mcp_servers::settled(&connections));
        }
        Some(connections)
    }

    /// A terminal that asks one thing has no use for commands.
    fn commanding(
        &self,
        request: &SessionRequest,
        facts: opening::Facts,
    ) -> Option<Arc<dyn Commands>> {
        self.rooms.as_ref()?;
        Some(Arc::new(Commanding {
            request: request.clone(),
            demo_pace: self.demo_pace,
            facts,
        }))
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
    fn prepare(
        &self,
        loaded: &Loaded,
        door: &Environment,
        request: &SessionRequest,
        own: Own,
        project: &Project,
        answering: Answering<'_>,
    ) -> Result<Prepared, SessionError> {
        let Answering { model, service } = answering;
        let Own { scratch, changes } = own;
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
        let tools = ToolSet::built_in(&equipment);
        let facts = opening::Facts {
            loaded: Arc::new(loaded.clone()),
            folder: request.folder.clone(),
            places: request.wishes.places.clone(),
            temporary_folder: project.folder.clone(),
            model: model.to_owned(),
            audience: self.audience,
            tools: tools.names().into_iter().collect(),
            sandbox,
            plans_folder: plans_folder.clone(),
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
        })
    }
}

/// The model that answers first, and whose it is.
#[derive(Clone, Copy)]
struct Answering<'a> {
    model: &'a str,
    service: Service,
}

/// What a session keeps its own files in, and who takes in what its commands change.
struct Own {
    scratch: PathBuf,
    changes: Arc<dyn ShellChanges>,
}

/// What is around a session.
struct Around {
    files: Arc<dyn Files>,
    surroundings: Arc<dyn Surroundings>,
    changes: Arc<dyn ShellChanges>,
}

struct Prepared {
    tools: ToolSet,
    gate: PolicyGate,
    mode: ApprovalMode,
    opening: Opening,
    facts: opening::Facts,
    scratch: Option<Arc<dyn Scratch>>,
    /// The folder of plans.
    plans: PathBuf,
}

/// How a long conversation is kept within a model's reach, by the settings.
fn context(loaded: &Loaded, id: &SessionId, scratch: Option<Arc<dyn Scratch>>) -> ContextOptions {
    let settings = &loaded.merged;
    let is_on = |name: &str| settings.get(name).and_then(|value| value.as_bool());
    let threshold = settings.get("model.compressionThreshold");
    ContextOptions {
        compression_threshold: ContextOptions::threshold(
            threshold.and_then(|value| value.as_f64()),
        ),
        scratch,
        session: Some(id.to_string()),
        next_speaker: match is_on("model.skipNextSpeakerCheck") {
            Some(false) => NextSpeaker::Judged,
            Some(true) | None => NextSpeaker::Person,
        },
        routing: Routing {
            plan: match is_on("general.plan.modelRouting") {
                Some(false) => PlanRouting::Off,
                Some(true) | None => PlanRouting::On,
            },
            ..Routing::default()
        },
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

/// Who would answer in a folder, in words for a person.
pub(crate) fn answering_model(
    loaded: &Loaded,
    door: &Environment,
    keychain: Option<ApiKey>,
) -> String {
    match models::choose(loaded, door, Wanted::default(), Pace::Instant, || keychain) {
        Ok(chosen) => {
            let name = chosen.voices.requested();
            match chosen.service {
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

/// Where a session is recorded, and what it was before.
struct Record {
    recorder: Recorder,
    messages: Vec<Message>,
    title: Option<String>,
    /// Nothing where it cannot be written.
    underway: Option<Underway>,
    /// What was typed and never had its turn.
    waiting: Vec<Prompt>,
}

/// What was said first, in one line.
fn first_prompt(history: &[Content]) -> Option<String> {
    let said = history.iter().find(|content| content.role == Role::User)?;
    let text = said.parts.iter().find_map(|part| part.as_text())?;
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    (!line.is_empty()).then(|| line.chars().take(100).collect())
}

fn record(project: &Project, which: &Which) -> Result<Record, SessionError> {
    let now = SystemTime::now();
    let mut ids = RandomIds;
    match which {
        Which::New => {
            let new = NewSession {
                id: pollux_sessions::SessionId::generate(&mut ids),
                place: Place::Main,
                directories: Vec::new(),
                started: now,
            };
            let recorder = Recorder::start(project, &new, Box::new(ids)).map_err(not_possible)?;
            let (underway, _nothing) = open_underway(project, &new.id);
            Ok(Record {
                recorder,
                messages: Vec::new(),
                title: None,
                underway,
                waiting: Vec::new(),
            })
        }
        Which::Recorded(which) => {
            let wanted = SessionRef::parse(which);
            let resumed =
                resume_session(project, &wanted, now, Box::new(ids)).map_err(not_found)?;
            let mut recorder = resumed.recorder;
            let mut messages = resumed.conversation.messages;
            let (underway, left) = open_underway(project, recorder.session_id());
            for message in left
                .turn
                .iter()
                .flat_map(|half| recording::interrupted(half, now))
            {
                let put = recorder.put(now, message.clone());
                // A full disk is told when the session is recorded to.
                let _recorded = put.map_err(not_possible)?;
                messages.push(message);
            }
            let kept = (1..).zip(&left.waiting);
            Ok(Record {
                title: resumed.conversation.metadata.summary().map(str::to_owned),
                recorder,
                messages,
                underway,
                waiting: kept
                    .map(|(name, prompt)| kept::from_json(name, prompt))
                    .collect(),
            })
        }
    }
}

/// A session that cannot keep what it is in the middle of is a session all the same.
fn open_underway(project: &Project, id: &pollux_sessions::SessionId) -> (Option<Underway>, Left) {
    match Underway::open(project, id) {
        Ok((underway, left)) => (Some(underway), left),
        Err(error) => {
            tracing::warn!(%error, "what is under way cannot be kept");
            (None, Left::default())
        }
    }
}

/// New turns are numbered behind those that were.
fn turns(past: &[Event]) -> u64 {
    let started = |event: &Event| match event {
        Event::TurnStarted { turn, .. } => Some(turn.0),
        _ => None,
    };
    past.iter().filter_map(started).max().unwrap_or_default()
}

fn turn_limit(loaded: &Loaded) -> Option<u64> {
    let limit = loaded.merged.get("model.maxSessionTurns")?.as_i64()?;
    // Below zero there is none.
    u64::try_from(limit).ok().filter(|limit| *limit > 0)
}

fn loop_detection(loaded: &Loaded) -> LoopDetection {
    let disabled = loaded.merged.get("model.disableLoopDetection");
    match disabled.and_then(|value| value.as_bool()) {
        Some(true) => LoopDetection::Off,
        Some(false) | None => LoopDetection::On,
    }
}

fn milliseconds(time: SystemTime) -> u64 {
    let time = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

fn not_possible(error: pollux_sessions::SessionError) -> SessionError {
    SessionError::NotPossible(error.to_string())
}

fn not_found(error: pollux_sessions::SessionError) -> SessionError {
    SessionError::NotFound(error.to_string())
}
