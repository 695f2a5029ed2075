//! Calls of tools: announced before anybody is asked about them, shown while they run, and told how they ended.

mod agent;
mod content;
mod terminal;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use agent_client_protocol_schema::v1::{
    Diff, Meta, SessionUpdate, ToolCall, ToolCallContent, ToolCallId, ToolCallLocation,
    ToolCallStatus, ToolCallUpdate, ToolCallUpdateFields, ToolKind,
};
use pollux_agent::api::{
    Activity, Answer, Approval, CallId, Decision, Event, Proposal, ProposalId, Target, ToolOutcome,
    ToolReport,
};
use pollux_workspace::Asked;
use serde_json::{Map, Value, json};

use super::{Telling, Told, update};

/// Bytes of arguments or results that are sent along as they are.
const LONGEST_RAW: usize = 256 * 1024;

/// A call that is told of.
pub(super) struct Call {
    /// As the client knows it.
    id: ToolCallId,
    name: String,
    title: String,
    args: Map<String, Value>,
    /// The call of the sub-agent that makes it.
    parent: Option<CallId>,
    /// What the sub-agent that it wants is at.
    job: Option<agent::Job>,
    stage: Stage,
    stands_for: StandsFor,
    /// Whether the client has heard of it.
    announced: bool,
    /// What it shows besides what it prints.
    shown: Vec<ToolCallContent>,
    /// Where it is at work, if that is known better than from its arguments.
    place: Option<ToolCallLocation>,
    printed: content::Tail,
    place_of_output: Output,
}

/// What the client is shown as a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StandsFor {
    Tool,
    /// A question that is about no call. Clients ask about calls only.
    Question,
}

/// Where the client shows what a command prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Output {
    /// Where we tell it.
    AsTold,
    /// In a terminal of its own, in which the command runs.
    ClientTerminal,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Running,
    /// Somebody has said no to it.
    Refused,
    Ended,
}

impl Call {
    pub(super) fn unannounce(&mut self) {
        self.announced = false;
    }

    fn is_command(&self) -> bool {
        self.name == "run_shell_command"
    }
}

impl Telling {
    pub(super) fn tell_of_call(&mut self, event: &Event) -> Vec<Told> {
        match event {
            Event::ToolStarted {
                call,
                title,
                parent,
            } => {
                self.messages += 1;
                let named = self.title_within(parent.as_ref(), title);
                self.begin(&call.id, &call.name, &named, call.args.clone());
                if let Some(begun) = self.calls.get_mut(&call.id) {
                    begun.parent.clone_from(parent);
                }
                let mut told = self.change(&call.id, |_| {
                    ToolCallUpdateFields::new().status(ToolCallStatus::InProgress)
                });
                told.extend(self.show_step(&call.id, |job| job.begins(&call.id, title)));
                told
            }
            Event::EditProposed(proposal) => {
                self.proposals.insert(proposal.id, Arc::clone(proposal));
                let text = &proposal.proposed;
                let mut told = self.show_edit(proposal, text, ToolCallStatus::Pending);
                told.push(self.ask(Asked::Edit(Arc::clone(proposal))));
                told
            }
            Event::EditMade(proposal) => {
                self.show_edit(proposal, &proposal.proposed, ToolCallStatus::InProgress)
            }
            Event::EditDecided {
                proposal,
                decisions,
                ..
            } => {
                let mut told = vec![Told::Answered((*proposal).into())];
                told.extend(self.edit_decided(*proposal, decisions));
                told
            }
            Event::ApprovalRequested(approval) => self.approval_requested(approval),
            Event::ApprovalEnded {
                approval, answer, ..
            } => {
                let mut told = vec![Told::Answered(*approval)];
                if let Some(call) = self.asked.remove(approval) {
                    told.extend(self.approval_ended(&call, answer.as_ref()));
                }
                told
            }
            Event::ToolPrinted { call, text } => self.printed(call, text),
            Event::ToolTerminal { call, terminal } if terminal.owner == self.owner => {
                self.change(call, |call| {
                    call.place_of_output = Output::ClientTerminal;
                    call.shown = vec![terminal::content(&terminal.id)];
                    ToolCallUpdateFields::new().content(call.shown.clone())
                })
            }
            Event::ToolProgressed { call, progress } => {
                let line = content::progress(progress);
                self.change(call, |call| {
                    if let Some(job) = &mut call.job {
                        job.now = Some(agent::now(progress));
                        return ToolCallUpdateFields::new().content(job.shown(&call.printed));
                    }
                    let mut content = call.shown.clone();
                    content.push(line.into());
                    ToolCallUpdateFields::new().content(content)
                })
            }
            Event::ToolEnded {
                call,
                outcome,
                report,
            } => {
                let mut told = self.call_ended(call, outcome, report);
                told.extend(self.show_step(call, |job| job.ends(call, outcome)));
                told
            }
            _ => Vec::new(),
        }
    }

    /// Calls that nothing more will be heard of.
    pub(super) fn unfinished(&mut self) -> Vec<Told> {
        let open = |(id, call): (&CallId, &Call)| {
            (call.announced && call.stage != Stage::Ended).then(|| id.clone())
        };
        let open: Vec<CallId> = self.calls.iter().filter_map(open).collect();
        let failed = |_: &mut Call| ToolCallUpdateFields::new().status(ToolCallStatus::Failed);
        open.iter().flat_map(|id| self.change(id, failed)).collect()
    }

    pub(super) fn announce_call(&mut self, id: &CallId) -> Vec<Told> {
        match self.calls.get(id) {
            Some(call) if !call.announced => self.change(id, |_| {
                ToolCallUpdateFields::new().status(ToolCallStatus::Pending)
            }),
            _ => Vec::new(),
        }
    }

    /// A call of a sub-agent says whose it is: it stands beside that of the sub-agent, and not inside.
    fn title_within(&self, parent: Option<&CallId>, title: &str) -> String {
        let around = parent.and_then(|parent| self.calls.get(parent)?.job.as_ref());
        match around {
            Some(job) => format!("{}: {title}", job.name),
            None => title.to_owned(),
        }
    }

    /// A call of a sub-agent has begun or ended, which the call of the sub-agent shows.
    fn show_step(&mut self, id: &CallId, step: impl FnOnce(&mut agent::Job)) -> Vec<Told> {
        let Some(parent) = self.calls.get(id).and_then(|call| call.parent.clone()) else {
            return Vec::new();
        };
        match self.calls.get(&parent) {
            Some(around) if around.job.is_some() && around.stage == Stage::Running => {}
            _ => return Vec::new(),
        }
        self.change(&parent, |around| {
            let mut fields = ToolCallUpdateFields::new();
            if let Some(job) = &mut around.job {
                step(job);
                fields = fields.content(job.shown(&around.printed));
            }
            fields
        })
    }

    fn begin(&mut self, id: &CallId, name: &str, title: &str, args: Map<String, Value>) {
        let times = self.used.entry(id.clone()).or_default();
        *times += 1;
        let known_as = match *times {
            1 => id.to_string(),
            times => format!("{id}#{times}"),
        };
        let mut call = Call {
            id: ToolCallId::new(known_as),
            name: name.to_owned(),
            title: title.to_owned(),
            args,
            parent: None,
            job: (Activity::of_tool(name) == Activity::Agent).then(|| agent::Job::of(title)),
            stage: Stage::Running,
            stands_for: StandsFor::Tool,
            announced: false,
            shown: Vec::new(),
            place: None,
            printed: content::Tail::default(),
            place_of_output: Output::AsTold,
        };
        if self.traits.terminals && call.is_command() {
            call.shown.push(terminal::content(&call.id.0));
        }
        self.calls.insert(id.clone(), call);
    }

    /// Tells of a change. A call that the client has not heard of is told as a whole.
    fn change(
        &mut self,
        id: &CallId,
        fields: impl FnOnce(&mut Call) -> ToolCallUpdateFields,
    ) -> Vec<Told> {
        let Some(call) = self.calls.get_mut(id) else {
            return Vec::new();
        };
        let fields = fields(call);
        if call.announced {
            let change = ToolCallUpdate::new(call.id.clone(), fields);
            return vec![update(SessionUpdate::ToolCallUpdate(change))];
        }
        call.announced = true;
        let parent = call.parent.clone();
        let parent = parent.and_then(|parent| Some(self.calls.get(&parent)?.id.clone()));
        let Some(call) = self.calls.get(id) else {
            return Vec::new();
        };
        let mut whole = ToolCall::new(call.id.clone(), call.title.clone())
            .name(call.name.clone())
            .kind(kind(&call.name))
            .status(match call.stage {
                Stage::Running => ToolCallStatus::InProgress,
                Stage::Refused => ToolCallStatus::Failed,
                Stage::Ended => ToolCallStatus::Completed,
            })
            .content(call.shown.clone())
            .locations(locations(&self.folder, call))
            .raw_input(raw(&call.args))
            .meta(meta(&self.folder, self.traits.terminals, call, parent));
        whole.update(fields);
        vec![update(SessionUpdate::ToolCall(whole))]
    }

    fn approval_requested(&mut self, approval: &Arc<Approval>) -> Vec<Told> {
        let id = asked_about(approval);
        if !self.calls.contains_key(&id) {
            self.begin(&id, &approval.tool, &approval.title, Map::new());
        }
        self.asked.insert(approval.id, id.clone());
        let question = content::of_question(approval);
        let mut told = self.change(&id, |call| {
            if approval.call.is_none() {
                call.stands_for = StandsFor::Question;
            }
            let mut content = question;
            content.extend(call.shown.iter().cloned());
            ToolCallUpdateFields::new()
                .status(ToolCallStatus::Pending)
                .content(content)
        });
        told.push(self.ask(Asked::Approval(Arc::clone(approval))));
        told
    }

    fn approval_ended(&mut self, id: &CallId, answer: Option<&Answer>) -> Vec<Told> {
        let refused = matches!(answer, None | Some(Answer::Deny { .. }));
        self.change(id, |call| match (refused, call.stage) {
            // It is told how it ended, or was.
            (_, Stage::Ended) => ToolCallUpdateFields::new(),
            // Nothing more comes of it.
            (_, Stage::Running | Stage::Refused) if call.stands_for == StandsFor::Question => {
                call.stage = Stage::Ended;
                ToolCallUpdateFields::new().status(match refused {
                    true => ToolCallStatus::Failed,
                    false => ToolCallStatus::Completed,
                })
            }
            (true, _) => {
                call.stage = Stage::Refused;
                ToolCallUpdateFields::new().status(ToolCallStatus::Failed)
            }
            (false, _) => ToolCallUpdateFields::new()
                .status(ToolCallStatus::InProgress)
                .content(call.shown.clone()),
        })
    }

    /// What a question shows of the call that it is about.
    fn ask(&self, asked: Asked) -> Told {
        let (of, mut content) = match &asked {
            Asked::Approval(approval) => (asked_about(approval), content::of_question(approval)),
            Asked::Edit(proposal) => (proposal.call.clone(), Vec::new()),
        };
        let mut fields = ToolCallUpdateFields::new().status(ToolCallStatus::Pending);
        let id = match self.calls.get(&of) {
            Some(call) => {
                content.extend(call.shown.iter().cloned());
                fields = fields
                    .title(call.title.clone())
                    .kind(kind(&call.name))
                    .locations(locations(&self.folder, call))
                    .raw_input(raw(&call.args));
                call.id.clone()
            }
            None => ToolCallId::new(of.to_string()),
        };
        Told::Ask {
            asked,
            call: Box::new(ToolCallUpdate::new(id, fields.content(content))),
        }
    }

    /// Shows an edit as what the file was and what it becomes.
    fn show_edit(&mut self, proposal: &Proposal, text: &str, status: ToolCallStatus) -> Vec<Told> {
        let path = self.folder.join(proposal.path.as_path());
        let before = match proposal.target {
            Target::File => Some(proposal.base.to_string()),
            Target::NewFile => None,
        };
        let first = proposal.hunks.first();
        let line = first.and_then(|hunk| u32::try_from(hunk.current_lines().start + 1).ok());
        let diff = Diff::new(path.clone(), text).old_text(before);
        self.change(&proposal.call, |call| {
            call.shown = vec![diff.into()];
            let place = ToolCallLocation::new(path).line(line);
            call.place = Some(place.clone());
            ToolCallUpdateFields::new()
                .status(status)
                .content(call.shown.clone())
                .locations(vec![place])
        })
    }

    fn edit_decided(&mut self, id: ProposalId, decisions: &[Decision]) -> Vec<Told> {
        let Some(proposal) = self.proposals.remove(&id) else {
            return Vec::new();
        };
        if decisions.contains(&Decision::Keep) {
            let text = proposal.decided(decisions);
            return self.show_edit(&proposal, &text, ToolCallStatus::InProgress);
        }
        self.change(&proposal.call, |call| {
            call.stage = Stage::Refused;
            ToolCallUpdateFields::new().status(ToolCallStatus::Failed)
        })
    }

    fn printed(&mut self, id: &CallId, text: &str) -> Vec<Told> {
        let as_terminal = self.traits.terminals;
        let Some(call) = self.calls.get_mut(id) else {
            return Vec::new();
        };
        call.printed.push(text);
        if call.place_of_output == Output::ClientTerminal {
            return Vec::new();
        }
        if as_terminal && call.is_command() && call.announced {
            let printed = ToolCallUpdate::new(call.id.clone(), ToolCallUpdateFields::new())
                .meta(terminal::output(&call.id, text));
            return vec![update(SessionUpdate::ToolCallUpdate(printed))];
        }
        self.change(id, |call| {
            if let Some(job) = &call.job {
                return ToolCallUpdateFields::new().content(job.shown(&call.printed));
            }
            let mut content = call.shown.clone();
            content.push(call.printed.shown().into());
            ToolCallUpdateFields::new().content(content)
        })
    }

    fn call_ended(&mut self, id: &CallId, outcome: &ToolOutcome, report: &ToolReport) -> Vec<Told> {
        let as_terminal = self.traits.terminals;
        let mut meta = None;
        let mut told = self.change(id, |call| {
            let fine =
                matches!(outcome, ToolOutcome::Succeeded { .. }) && call.stage != Stage::Refused;
            call.stage = Stage::Ended;
            if as_terminal && call.is_command() && call.place_of_output == Output::AsTold {
                meta = Some(terminal::ended(&call.id, &call.printed, report));
            }
            let content = match &call.job {
                Some(job) => job.of_end(outcome, report),
                None => content::of_end(&call.shown, call.is_command(), outcome, report),
            };
            ToolCallUpdateFields::new()
                .status(match fine {
                    true => ToolCallStatus::Completed,
                    false => ToolCallStatus::Failed,
                })
                .content(content)
                .raw_output(content::raw_output(outcome, report))
        });
        if let (Some(Told::Update(ended)), Some(meta)) = (told.first_mut(), meta) {
            add_meta(ended, meta);
        }
        told
    }
}

/// The call that a question is about, or one that stands for the question.
pub(super) fn asked_about(approval: &Approval) -> CallId {
    let stand_in = || CallId::new(format!("question-{}", approval.id));
    approval.call.clone().unwrap_or_else(stand_in)
}

/// What only some clients understand, beside what all do.
fn add_meta(told: &mut SessionUpdate, meta: Meta) {
    match told {
        SessionUpdate::ToolCallUpdate(change) => change.meta = Some(meta),
        SessionUpdate::ToolCall(call) => call.meta.get_or_insert_default().extend(meta),
        _ => {}
    }
}

/// What Zed wants to know besides, and which call of a sub-agent it belongs to.
fn meta(folder: &Path, terminals: bool, call: &Call, parent: Option<ToolCallId>) -> Meta {
    let mut meta = Meta::new();
    if let Some(parent) = parent {
        meta.insert("parentToolCallId".to_owned(), parent.0.as_ref().into());
    }
    meta.insert("tool_name".to_owned(), call.name.clone().into());
    if terminals && call.is_command() {
        let named = call.args.get("dir_path").and_then(Value::as_str);
        let folder = named.map_or(folder.to_owned(), |named| folder.join(named));
        meta.extend(terminal::info(&call.id, &folder));
    }
    meta
}

fn kind(tool: &str) -> ToolKind {
    match Activity::of_tool(tool) {
        _ if matches!(tool, "enter_plan_mode" | "exit_plan_mode") => ToolKind::SwitchMode,
        Activity::Read => ToolKind::Read,
        Activity::Search => ToolKind::Search,
        Activity::Edit => ToolKind::Edit,
        Activity::Command => ToolKind::Execute,
        Activity::Fetch => ToolKind::Fetch,
        Activity::Think | Activity::Agent => ToolKind::Think,
        Activity::Other => ToolKind::Other,
    }
}

/// The files that a call is about, so that a client can follow.
fn locations(folder: &Path, call: &Call) -> Vec<ToolCallLocation> {
    if let Some(place) = &call.place {
        return vec![place.clone()];
    }
    let text = |name: &str| call.args.get(name).and_then(Value::as_str);
    let named = text("file_path").or(text("dir_path")).or(text("path"));
    let Some(named) = named.filter(|_| kind(&call.name) != ToolKind::Execute) else {
        return Vec::new();
    };
    let line = call.args.get("start_line").and_then(Value::as_u64);
    let line = line.and_then(|line| u32::try_from(line).ok());
    let path: PathBuf = folder.join(named);
    vec![ToolCallLocation::new(path).line(line)]
}

/// Nothing for what is too long to be sent twice.
fn raw(args: &Map<String, Value>) -> Option<Value> {
    let size: usize = args
        .values()
        .map(|value| value.as_str().map_or(64, str::len))
        .sum();
    (!args.is_empty() && size <= LONGEST_RAW).then(|| json!(args))
}
