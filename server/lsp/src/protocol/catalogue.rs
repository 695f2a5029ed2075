//! The list of our methods, for everything that is generated from it.

use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value};

use super::{
    ApprovalAnswerParams, BaseTextParams, BaseTextResult, CallStopParams, CommandListParams,
    CommandListResult, CompanionParams, DocumentParams, DocumentResult, Done, EditDecideParams,
    EditorAnswer, EditorAnswerParams, EditorQueryParams, EditorStateParams, HunksParams,
    InitializationOptions, MentionSearchParams, MentionSearchResult, ModeSetParams,
    ModelListParams, ModelListResult, ModelSetParams, PromptAttachmentsParams,
    PromptAttachmentsResult, PromptEditParams, PromptMoveParams, PromptParams, PromptUnqueueParams,
    ResyncParams, ReviewParams, ReviewResult, SaveParams, Saved, SessionDeleteParams,
    SessionEventsParams, SessionFollowParams, SessionListParams, SessionListResult, SessionParams,
    SessionRenameParams, SessionResult, SessionResumeParams, SessionStartParams, SnapshotParams,
    SnapshotResult, TextResult, ToolOutputParams, TurnFilesResult, TurnParams, TurnTextParams,
    method,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    ClientToServer,
    ServerToClient,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    Notification,
    /// A request; the name is its result's definition.
    Request {
        result: String,
    },
}

#[derive(Clone, Debug)]
pub struct Method {
    pub name: &'static str,
    pub direction: Direction,
    pub kind: Kind,
    /// One sentence for the reference.
    pub summary: &'static str,
    /// The name of the parameters' definition.
    pub params: String,
}

pub struct Catalogue {
    pub methods: Vec<Method>,
    /// JSON Schema of every type, by name.
    pub definitions: Map<String, Value>,
}

pub fn catalogue() -> Catalogue {
    let mut list = List::default();
    list.notification::<EditorStateParams>(
        method::EDITOR_STATE,
        Direction::ClientToServer,
        "What the person is looking at: active file, cursor, selections, visible ranges, trust and problem counts. Optional: a client that never sends it still works.",
    );
    list.request::<SnapshotParams, SnapshotResult>(
        method::SNAPSHOT,
        Direction::ClientToServer,
        "The room as the server sees it, at once or as soon as it has changed.",
    );
    list.request::<DocumentParams, DocumentResult>(
        method::DOCUMENT,
        Direction::ClientToServer,
        "The text the room holds for an open file.",
    );
    list.notification::<ResyncParams>(
        method::RESYNC,
        Direction::ServerToClient,
        "A change did not fit; the client sends the whole text. Sent only to clients that set `capabilities.experimental.pollux.resync`.",
    );
    list.notification::<CompanionParams>(
        method::COMPANION,
        Direction::ServerToClient,
        "Where an agent in a terminal of this editor finds the room. Sent only to clients that set `capabilities.experimental.pollux.companion`.",
    );
    query_methods(&mut list);
    review_methods(&mut list);
    session_methods(&mut list);
    model_methods(&mut list);
    text_methods(&mut list);
    // No method of ours has them: they come with `initialize`.
    list.define::<InitializationOptions>();
    Catalogue {
        definitions: list.generator.take_definitions(true),
        methods: list.methods,
    }
}

fn query_methods(list: &mut List) {
    list.request::<EditorQueryParams, EditorAnswer>(
        method::EDITOR_QUERY,
        Direction::ServerToClient,
        "Ask the editor's other language servers about code. Sent only for what the client lists in `capabilities.experimental.pollux.queries`.",
    );
    list.notification::<EditorAnswerParams>(
        method::EDITOR_ANSWER,
        Direction::ClientToServer,
        "What a query found that was first answered with `later`.",
    );
}

fn review_methods(list: &mut List) {
    use Direction::{ClientToServer, ServerToClient};
    list.notification::<HunksParams>(
        method::HUNKS,
        ServerToClient,
        "What is pending in a file has changed. Sent only to clients that set `capabilities.experimental.pollux.hunks`; others get diagnostics, code actions and code lenses.",
    );
    list.request::<ReviewParams, ReviewResult>(
        method::REVIEW,
        ClientToServer,
        "Everything that is pending, and the hunks that were rejected.",
    );
    list.request::<SaveParams, Saved>(
        method::SAVE,
        ServerToClient,
        "Save files that had no unsaved changes before an edit of the agent. Sent only to clients that set `capabilities.experimental.pollux.save`.",
    );
}

fn text_methods(list: &mut List) {
    use Direction::ClientToServer;
    list.request::<ToolOutputParams, TextResult>(
        method::TOOL_OUTPUT,
        ClientToServer,
        "All that a call showed the model, up to 2 MB, while its session is open.",
    );
    list.request::<PromptAttachmentsParams, PromptAttachmentsResult>(
        method::PROMPT_ATTACHMENTS,
        ClientToServer,
        "What was attached to a prompt, as it was sent. Events only name it.",
    );
    list.request::<TurnParams, TextResult>(
        method::CONTEXT_SHOW,
        ClientToServer,
        "The exact text that went to the model with a turn's prompt.",
    );
    list.request::<BaseTextParams, BaseTextResult>(
        method::BASE_TEXT,
        ClientToServer,
        "The text below all pending hunks of a file: the original side of a comparison.",
    );
    list.request::<TurnParams, TurnFilesResult>(
        method::TURN_FILES,
        ClientToServer,
        "The files that a turn has changed.",
    );
    list.request::<TurnTextParams, TextResult>(
        method::TURN_TEXT,
        ClientToServer,
        "A file before or after a turn; empty where there was none.",
    );
}

fn model_methods(list: &mut List) {
    use Direction::ClientToServer;
    list.request::<CommandListParams, CommandListResult>(
        method::COMMAND_LIST,
        ClientToServer,
        "What may follow a slash at the beginning of a prompt.",
    );
    list.request::<MentionSearchParams, MentionSearchResult>(
        method::MENTION_SEARCH,
        ClientToServer,
        "Files and folders that somebody may mean by what they typed behind an `@`.",
    );
    list.request::<ModelListParams, ModelListResult>(
        method::MODEL_LIST,
        ClientToServer,
        "Which models may answer.",
    );
    list.request::<ModelSetParams, Done>(
        method::MODEL_SET,
        ClientToServer,
        "Let another model answer from the next turn on. Comes as `modelChosen`.",
    );
}

fn session_methods(list: &mut List) {
    use Direction::{ClientToServer, ServerToClient};
    list.request::<SessionStartParams, SessionResult>(
        method::SESSION_START,
        ClientToServer,
        "Start a session. It belongs to the host: it goes on when the editor is closed.",
    );
    list.request::<SessionResumeParams, SessionResult>(
        method::SESSION_RESUME,
        ClientToServer,
        "Open a recorded session, or share the one that is open already.",
    );
    list.request::<SessionListParams, SessionListResult>(
        method::SESSION_LIST,
        ClientToServer,
        "The sessions recorded for a folder.",
    );
    list.request::<SessionDeleteParams, Done>(
        method::SESSION_DELETE,
        ClientToServer,
        "Remove a session and everything that belongs to it. One that is open is closed first; while a turn runs this is refused.",
    );
    list.request::<SessionRenameParams, Done>(
        method::SESSION_RENAME,
        ClientToServer,
        "Give a session another title, whether it is open or only recorded.",
    );
    list.request::<SessionFollowParams, Done>(
        method::SESSION_FOLLOW,
        ClientToServer,
        "Be sent what happens in a session, from a cursor on: from 0 a view is rebuilt whole.",
    );
    list.request::<SessionParams, Done>(
        method::SESSION_UNFOLLOW,
        ClientToServer,
        "Be sent no more of it. The session goes on.",
    );
    list.notification::<SessionEventsParams>(
        method::SESSION_EVENTS,
        ServerToClient,
        "What happened in a session that is followed.",
    );
    list.request::<PromptParams, Done>(
        method::PROMPT_QUEUE,
        ClientToServer,
        "Say something. While a turn runs it waits.",
    );
    list.request::<PromptParams, Done>(
        method::PROMPT_STEER,
        ClientToServer,
        "Say something into the running turn, at the next point where the model listens.",
    );
    list.request::<PromptUnqueueParams, Done>(
        method::PROMPT_UNQUEUE,
        ClientToServer,
        "Take back a prompt that still waits.",
    );
    list.request::<PromptEditParams, Done>(
        method::PROMPT_EDIT,
        ClientToServer,
        "Say something else with a prompt that still waits. What is attached to it stays. Comes as `promptEdited`.",
    );
    list.request::<PromptMoveParams, Done>(
        method::PROMPT_MOVE,
        ClientToServer,
        "Give a waiting prompt another place among those that wait. Comes as `queueOrdered`.",
    );
    list.request::<SessionParams, Done>(
        method::QUEUE_RELEASE,
        ClientToServer,
        "Let what waits have its turn, after a stop or an interruption. The next prompt does the same.",
    );
    list.request::<SessionParams, Done>(
        method::TURN_CANCEL,
        ClientToServer,
        "Stop the running turn.",
    );
    list.request::<SessionParams, Done>(
        method::RETRY_NOW,
        ClientToServer,
        "Send a request that waits to be retried now (`requestRetried`). Comes as `retryStarted`. Where none waits the answer is `refused`.",
    );
    list.request::<CallStopParams, Done>(
        method::CALL_STOP,
        ClientToServer,
        "Stop one running call, such as a command or a sub-agent, and let the turn go on. The model is told. A call that does not run is answered with `refused`.",
    );
    list.request::<EditDecideParams, Done>(
        method::EDIT_DECIDE,
        ClientToServer,
        "Decide about the hunks of a proposed edit. The first answer counts.",
    );
    list.request::<ApprovalAnswerParams, Done>(
        method::APPROVAL_ANSWER,
        ClientToServer,
        "Answer what the agent asks. The first answer counts. A client that sets `capabilities.experimental.pollux.approvals` shows the questions itself; any other is asked by `window/showMessageRequest`.",
    );
    list.request::<ModeSetParams, Done>(
        method::MODE_SET,
        ClientToServer,
        "How much the agent may do without asking, from now on.",
    );
}

#[derive(Default)]
struct List {
    generator: SchemaGenerator,
    methods: Vec<Method>,
}

impl List {
    fn notification<P: JsonSchema>(
        &mut self,
        name: &'static str,
        direction: Direction,
        summary: &'static str,
    ) {
        let params = self.define::<P>();
        self.methods.push(Method {
            name,
            direction,
            kind: Kind::Notification,
            summary,
            params,
        });
    }

    fn request<P: JsonSchema, R: JsonSchema>(
        &mut self,
        name: &'static str,
        direction: Direction,
        summary: &'static str,
    ) {
        let params = self.define::<P>();
        let kind = Kind::Request {
            result: self.define::<R>(),
        };
        self.methods.push(Method {
            name,
            direction,
            kind,
            summary,
            params,
        });
    }

    fn define<T: JsonSchema>(&mut self) -> String {
        self.generator.subschema_for::<T>();
        T::schema_name().into_owned()
    }
}
