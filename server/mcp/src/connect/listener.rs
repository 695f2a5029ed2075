//! What a server says of its own accord: progress, changed lists, questions.

use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pollux_agent::CallEvent;
use pollux_agent::api::Progress;
use rmcp::model::{
    ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult, ElicitationAction,
    ElicitationCapability, ErrorData, FormElicitationCapability, Implementation,
    ProgressNotificationParam, ProgressToken, ProtocolVersion,
};
#[expect(deprecated, reason = "servers of today still ask for roots")]
use rmcp::model::{ListRootsResult, Root, RootsCapabilities};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ClientHandler, RoleClient};
use tokio::sync::{Notify, mpsc, oneshot, watch};

use super::elicitation::Form;
use super::patience::{Open, Questions};

/// Of progress that came before its call was known.
const EARLY: usize = 16;
/// How often a form is shown again whose answers do not fit.
const ATTEMPTS: usize = 3;
const LONGEST_MESSAGE: usize = 500;

/// Listens to one server, for as long as one connection lasts.
#[derive(Clone)]
pub(super) struct Listener {
    pub(super) roots: watch::Receiver<Vec<PathBuf>>,
    /// One permit, however often lists change: whoever looks sees the newest.
    pub(super) changed: Arc<Notify>,
    pub(super) calls: Calls,
}

/// The calls that are waited for, by what servers know them by.
#[derive(Clone, Default)]
pub(super) struct Calls {
    waiting: Arc<Mutex<Waiting>>,
    questions: Arc<Questions>,
}

#[derive(Default)]
struct Waiting {
    calls: HashMap<ProgressToken, mpsc::Sender<CallEvent>>,
    /// The last one is who a question is about.
    order: Vec<ProgressToken>,
    /// A server may be faster than whoever writes down its call.
    early: VecDeque<(ProgressToken, Progress)>,
}

/// A call that is waited for; dropping it ends that.
pub(super) struct Waited {
    calls: Calls,
    token: ProgressToken,
}

impl Calls {
    pub(super) fn wait(&self, token: ProgressToken, events: mpsc::Sender<CallEvent>) -> Waited {
        let mut waiting = self.lock();
        let early = std::mem::take(&mut waiting.early);
        for (of, progress) in early {
            match of == token {
                true => tell(&events, progress),
                false => waiting.early.push_back((of, progress)),
            }
        }
        waiting.calls.insert(token.clone(), events);
        waiting.order.push(token.clone());
        Waited {
            calls: self.clone(),
            token,
        }
    }

    fn progressed(&self, token: ProgressToken, progress: Progress) {
        let mut waiting = self.lock();
        match waiting.calls.get(&token) {
            Some(events) => tell(events, progress),
            None => {
                if waiting.early.len() == EARLY {
                    waiting.early.pop_front();
                }
                waiting.early.push_back((token, progress));
            }
        }
    }

    pub(super) fn questions(&self) -> &Questions {
        &self.questions
    }

    /// Whoever called last: servers do not say which call a question belongs to.
    fn asker(&self) -> Option<mpsc::Sender<CallEvent>> {
        let waiting = self.lock();
        let last = waiting.order.last()?;
        waiting.calls.get(last).cloned()
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Progress that nobody has looked at yet need not be followed by more.
fn tell(events: &mpsc::Sender<CallEvent>, progress: Progress) {
    let _full = events.try_send(CallEvent::Progressed(progress));
}

impl Drop for Waited {
    fn drop(&mut self) {
        let mut waiting = self.calls.lock();
        waiting.calls.remove(&self.token);
        waiting.order.retain(|token| *token != self.token);
    }
}

impl Listener {
    async fn ask(&self, message: &str, form: &Form) -> ElicitResult {
        let declined = ElicitResult::new(ElicitationAction::Decline);
        let Some(events) = self.calls.asker() else {
            return declined;
        };
        let _open = Open::new(&self.calls.questions);
        let mut told: String = message.chars().take(LONGEST_MESSAGE).collect();
        for _ in 0..ATTEMPTS {
            let (answer, answered) = oneshot::channel();
            let asked = CallEvent::Asked {
                message: told.clone(),
                questions: form.questions(&told),
                answer,
            };
            if events.send(asked).await.is_err() {
                return declined;
            }
            let Ok(Some(replies)) = answered.await else {
                return declined;
            };
            match form.filled(&replies) {
                Ok(Some(content)) => {
                    return ElicitResult::new(ElicitationAction::Accept).with_content(content);
                }
                Ok(None) => return declined,
                Err(field) => told = format!("`{field}` is missing or does not fit"),
            }
        }
        ElicitResult::new(ElicitationAction::Cancel)
    }
}

impl ClientHandler for Listener {
    fn get_info(&self) -> ClientConfig {
        let mut roots = RootsCapabilities::default();
        roots.list_changed = Some(true);
        let form = ElicitationCapability::new().with_form(FormElicitationCapability::new());
        let mut capabilities = ClientCapabilities::default();
        capabilities.roots = Some(roots);
        capabilities.elicitation = Some(form);
        let ourselves = Implementation::new("pollux", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(capabilities, ourselves)
            .with_protocol_version(ProtocolVersion::V_2025_11_25)
    }

    #[expect(deprecated, reason = "servers of today still ask for roots")]
    async fn list_roots(
        &self,
        _: RequestContext<RoleClient>,
    ) -> Result<ListRootsResult, ErrorData> {
        let roots = self
            .roots
            .borrow()
            .iter()
            .map(|root| of_folder(root))
            .collect();
        Ok(ListRootsResult::new(roots))
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let ElicitRequestParams::FormElicitationParams {
            message,
            requested_schema,
            ..
        } = request
        else {
            return Ok(ElicitResult::new(ElicitationAction::Decline));
        };
        let schema = serde_json::to_value(&requested_schema).unwrap_or_default();
        let Some(form) = Form::of(&schema) else {
            return Ok(ElicitResult::new(ElicitationAction::Decline));
        };
        tokio::select! {
            () = context.ct.cancelled() => Ok(ElicitResult::new(ElicitationAction::Cancel)),
            answered = self.ask(&message, &form) => Ok(answered),
        }
    }

    async fn on_progress(
        &self,
        params: ProgressNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        let progress = Progress {
            message: params
                .message
                .map(|message| message.chars().take(LONGEST_MESSAGE).collect()),
            done: params.progress,
            total: params.total,
        };
        self.calls.progressed(params.progress_token, progress);
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.changed.notify_one();
    }

    async fn on_prompt_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.changed.notify_one();
    }

    async fn on_resource_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.changed.notify_one();
    }
}

#[expect(deprecated, reason = "servers of today still ask for roots")]
fn of_folder(folder: &Path) -> Root {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let uri = url::Url::from_file_path(folder);
    let uri = uri.map_or_else(|()| format!("file://{}", folder.display()), String::from);
    Root::new(uri).with_name(name)
}
