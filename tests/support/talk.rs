//! A conversation over the language server door, with a model that plays a script.

use std::collections::VecDeque;
use std::path::Path;

use pollux_testkit::fake_editor::{FakeEditor, InitializeOptions};
use pollux_testkit::scripted_model::{Call, Reply, Script, ScriptedModel};
use serde_json::{Value, json};
use tokio::process::Command;

use super::asked_in;
use super::world::{Door, World};

/// Any other name than a model's own makes a choice of its own, which is a request more.
pub(crate) const MODEL: &str = "gemini-2.5-pro";

/// A reply that calls one tool.
pub(crate) fn calls(tool: &str, args: Value) -> Reply {
    Reply::new().call(Call::new(tool, args)).finish("STOP")
}

/// A reply that runs a command.
pub(crate) fn runs(command: &str) -> Reply {
    calls("run_shell_command", json!({ "command": command }))
}

/// A reply that ends a turn.
pub(crate) fn says(text: &str) -> Reply {
    Reply::text(text).finish("STOP")
}

pub(crate) async fn model(replies: impl IntoIterator<Item = Reply>) -> ScriptedModel {
    let script = replies.into_iter().fold(Script::new(), Script::reply);
    ScriptedModel::start(script.strict()).await
}

/// What the tools of the last round returned, as the model reads it: the output, or the error.
pub(crate) fn returned(server: &ScriptedModel) -> String {
    let requests = server.requests();
    let last = requests.last().unwrap().json();
    let contents = last["contents"].as_array().unwrap();
    let parts = contents.last().unwrap()["parts"].as_array().unwrap();
    let texts: Vec<String> = parts
        .iter()
        .filter_map(|part| part["functionResponse"]["response"].as_object())
        .flat_map(|response| response.values())
        .map(|value| value.as_str().unwrap().to_owned())
        .collect();
    assert!(!texts.is_empty(), "no tool has returned anything: {last}");
    texts.join("\n")
}

/// What the model was told in a request, without what every request begins with.
pub(crate) fn told(server: &ScriptedModel, order: usize) -> String {
    let body = server.requests()[order - 1].json();
    let mut shown = String::new();
    for content in body["contents"].as_array().unwrap() {
        for part in content["parts"].as_array().unwrap() {
            let text = part["text"].as_str().unwrap_or_default();
            if text.starts_with("<session_context>") {
                continue;
            }
            let what = match part {
                part if part["functionCall"].is_object() => {
                    format!("calls {}", part["functionCall"]["name"])
                }
                part if part["functionResponse"].is_object() => {
                    format!("result {}", part["functionResponse"]["response"])
                }
                _ => Value::from(text).to_string(),
            };
            shown += &format!("{}: {what}\n", content["role"].as_str().unwrap());
        }
    }
    shown
}

/// The environment of somebody who uses the scripted model.
pub(crate) fn with_model(command: &mut Command, server: &ScriptedModel) {
    command
        .env("GEMINI_API_KEY", "key-for-the-model")
        .env("GEMINI_MODEL", MODEL)
        .env("GOOGLE_GEMINI_BASE_URL", server.url());
}

/// A window on a folder that the person trusts.
pub(crate) fn door(world: &World, server: &ScriptedModel) -> (FakeEditor, Door) {
    let mut command = world.pollux(&["lsp"]);
    with_model(&mut command, server);
    World::start_trusting(command)
}

/// The conversation as one window sees it.
pub(crate) struct Talk {
    pub(crate) editor: FakeEditor,
    pub(crate) session: String,
    door: Door,
    /// Each with whether it had happened before this window followed.
    unread: VecDeque<(bool, Value)>,
    /// Whether the last event had happened before.
    pub(crate) is_past: bool,
    /// Behind everything that was heard.
    pub(crate) cursor: u64,
}

impl Talk {
    /// Opens a window that shows questions itself, and starts a session in the workspace.
    pub(crate) async fn start(world: &World, server: &ScriptedModel) -> Self {
        Self::start_in(&world.work(), door(world, server)).await
    }

    pub(crate) async fn start_in(folder: &Path, door: (FakeEditor, Door)) -> Self {
        let options = asked_in(folder.to_str().unwrap());
        Self::start_with(options, door).await
    }

    pub(crate) async fn start_with(
        options: InitializeOptions,
        (editor, door): (FakeEditor, Door),
    ) -> Self {
        editor.initialize(options).await;
        let started = editor.request("pollux/sessionStart", json!({})).await;
        let session = started.unwrap()["session"].as_str().unwrap().to_owned();
        let talk = Self {
            editor,
            session,
            door,
            unread: VecDeque::new(),
            is_past: false,
            cursor: 0,
        };
        talk.ask("pollux/sessionFollow", json!({})).await;
        talk
    }

    /// Another window on the same session.
    pub(crate) async fn join(&self, world: &World, server: &ScriptedModel) -> Self {
        let (editor, door) = door(world, server);
        let folder = world.work();
        editor.initialize(asked_in(folder.to_str().unwrap())).await;
        let talk = Self {
            editor,
            session: self.session.clone(),
            door,
            unread: VecDeque::new(),
            is_past: false,
            cursor: 0,
        };
        talk.ask("pollux/sessionFollow", json!({})).await;
        talk
    }

    /// A new session in the same window.
    pub(crate) async fn start_anew(&mut self) {
        self.ask("pollux/sessionUnfollow", json!({})).await;
        let started = self.editor.request("pollux/sessionStart", json!({})).await;
        self.session = started.unwrap()["session"].as_str().unwrap().to_owned();
        self.ask("pollux/sessionFollow", json!({})).await;
    }

    /// A request about the session.
    pub(crate) async fn ask(&self, method: &str, more: Value) {
        let mut params = json!({ "session": self.session });
        for (key, value) in more.as_object().unwrap() {
            params[key] = value.clone();
        }
        let done = self.editor.request(method, params).await;
        assert_eq!(done, Ok(json!({})), "{method}");
    }

    pub(crate) async fn say(&self, text: &str) {
        self.ask("pollux/promptQueue", json!({ "text": text }))
            .await;
    }

    pub(crate) async fn answer(&self, question: &Value, answer: Value) {
        let number = match &question["approval"] {
            Value::Null => &question["proposal"],
            approval => approval,
        };
        let answer = json!({ "approval": number, "answer": answer });
        self.ask("pollux/approvalAnswer", answer).await;
    }

    async fn next(&mut self) -> Value {
        loop {
            if let Some((is_past, event)) = self.unread.pop_front() {
                self.is_past = is_past;
                return event;
            }
            let batch = self
                .editor
                .expect_notification("pollux/sessionEvents")
                .await;
            if batch["session"] == self.session.as_str() {
                self.cursor = batch["cursor"].as_u64().unwrap();
                let is_past = batch["past"].as_bool().unwrap();
                let events = batch["events"].as_array().unwrap().iter().cloned();
                self.unread.extend(events.map(|event| (is_past, event)));
            }
        }
    }

    /// The next event, whatever it is.
    pub(crate) async fn any(&mut self) -> Value {
        self.next().await
    }

    /// The next event of this kind, whatever comes before it.
    pub(crate) async fn event(&mut self, kind: &str) -> Value {
        loop {
            let event = self.next().await;
            if event["kind"] == kind {
                return event;
            }
            assert_ne!(event["kind"], "turnEnded", "{kind} has not come: {event}");
        }
    }

    /// The next event of this kind, also after the end of the turn.
    pub(crate) async fn coming(&mut self, kind: &str) -> Value {
        loop {
            let event = self.next().await;
            if event["kind"] == kind {
                return event;
            }
        }
    }

    /// A request about the session that answers something.
    pub(crate) async fn request(&self, method: &str, more: Value) -> Result<Value, String> {
        let mut params = json!({ "session": self.session });
        for (key, value) in more.as_object().unwrap() {
            params[key] = value.clone();
        }
        let answer = self.editor.request(method, params).await;
        answer.map_err(|error| error.message)
    }

    /// The reason of the next event of this kind, also after the end of the turn.
    pub(crate) async fn late(&mut self, kind: &str) -> String {
        loop {
            let event = self.next().await;
            if event["kind"] == kind {
                return event["reason"].as_str().unwrap_or_default().to_owned();
            }
        }
    }

    /// Everything up to the end of the turn.
    pub(crate) async fn rest(&mut self) -> Vec<Value> {
        let mut events = vec![self.next().await];
        while events.last().unwrap()["kind"] != "turnEnded" {
            events.push(self.next().await);
        }
        events
    }

    /// The rest of a turn that is completed, and in which nobody is asked anything.
    pub(crate) async fn rest_unasked(&mut self) -> Vec<Value> {
        let events = self.rest().await;
        let asks = |event: &&Value| {
            event["kind"] == "approvalRequested" || event["kind"] == "editProposed"
        };
        assert_eq!(events.iter().find(asks), None);
        assert_eq!(
            events.last().unwrap()["outcome"],
            "completed",
            "{events:#?}"
        );
        events
    }

    /// The window and its process, for tests in which one of them is killed.
    pub(crate) fn into_parts(self) -> (FakeEditor, Door) {
        (self.editor, self.door)
    }

    /// Closes the window.
    pub(crate) async fn close(mut self) {
        self.editor.ignore("pollux/sessionEvents");
        // What is pending is another test's matter.
        self.editor.ignore("textDocument/publishDiagnostics");
        self.editor.finish().await;
        assert!(self.door.ended().await.success());
    }
}
