//! The gate of one session: the folder's policy, and what the person has approved.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock};
use std::time::SystemTime;

use futures_util::future::BoxFuture;
use pollux_agent::Gate;
use pollux_agent::api::{Offer, OfferedRule, Scope};
use pollux_policy::{
    ApprovalMode, Call, Context, Decision, Draft, GitRepository, HiddenFiles, Policy, Presence,
    Rule, Suggestion, Trust, Verdict, WorkspaceView, Yolo, saved,
};
use serde_json::Map;

use super::PolicyFiles;
use super::saving;
use super::view::DiskView;

/// Judges by the rules of a folder, and grows with the person's answers.
pub(crate) struct PolicyGate {
    held: RwLock<Held>,
    reload: Option<Reload>,
    presence: Presence,
    trust: Trust,
    roots: Vec<PathBuf>,
    /// The names of the variables that commands get; `None` for those of this process.
    variables: Option<BTreeSet<String>>,
    user_approvals: PathBuf,
    workspace_approvals: PathBuf,
}

/// Loads the rules of the folder again.
pub(crate) type Reload = Box<dyn Fn() -> Policy + Send + Sync>;

struct Held {
    policy: Policy,
    /// What was approved for this session, and is in no file.
    session: Vec<Rule>,
    /// Of the saved approvals that are in the policy.
    stamps: Stamps,
}

/// When the files of saved approvals were written last, and how long they are.
type Stamps = [Option<(SystemTime, u64)>; 2];

/// The disk as it is, and the environment that commands get.
struct GateView<'a> {
    disk: DiskView<'a>,
    variables: Option<&'a BTreeSet<String>>,
}

impl WorkspaceView for GateView<'_> {
    fn resolve(&self, path: &Path) -> Option<PathBuf> {
        self.disk.resolve(path)
    }

    fn has_variable(&self, name: &str) -> bool {
        match self.variables {
            Some(names) => names.contains(name),
            None => self.disk.has_variable(name),
        }
    }

    fn git_repository(&self, folder: &Path) -> GitRepository {
        self.disk.git_repository(folder)
    }

    fn is_free_of_secrets(&self, folder: &Path, hidden: HiddenFiles) -> bool {
        self.disk.is_free_of_secrets(folder, hidden)
    }
}

impl PolicyGate {
    pub(crate) fn new(
        files: PolicyFiles,
        reload: Reload,
        presence: Presence,
        trust: Trust,
        folder: PathBuf,
    ) -> Self {
        let gate = Self {
            held: RwLock::new(Held {
                policy: files.policy,
                session: Vec::new(),
                stamps: Stamps::default(),
            }),
            reload: Some(reload),
            presence,
            trust,
            roots: vec![folder],
            variables: None,
            user_approvals: files.user_approvals,
            workspace_approvals: files.workspace_approvals,
        };
        gate.held
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .stamps = gate.stamps();
        gate
    }

    /// The rules that come with Pollux, for a folder that the person has just been given.
    pub(crate) fn shipped(folder: PathBuf) -> Self {
        Self {
            held: RwLock::new(Held {
                policy: Policy::shipped(),
                session: Vec::new(),
                stamps: Stamps::default(),
            }),
            reload: None,
            presence: Presence::Interactive,
            trust: Trust::Trusted,
            roots: vec![folder],
            variables: None,
            user_approvals: PathBuf::new(),
            workspace_approvals: PathBuf::new(),
        }
    }

    /// For commands that get another environment than this process has: a host serves many doors.
    #[must_use]
    pub(crate) fn for_variables<'a>(self, names: impl Iterator<Item = &'a str>) -> Self {
        Self {
            variables: Some(names.map(str::to_owned).collect()),
            ..self
        }
    }

    fn with<T>(&self, mode: ApprovalMode, look: impl FnOnce(&Policy, &Context<'_>) -> T) -> T {
        let context = Context {
            mode,
            presence: self.presence,
            trust: self.trust,
            cwd: self.roots.first().map_or(Path::new("/"), PathBuf::as_path),
            roots: &self.roots,
            view: &GateView {
                disk: DiskView { roots: &self.roots },
                variables: self.variables.as_ref(),
            },
        };
        // A policy is changed by replacing it, so a panic elsewhere cannot leave it half done.
        let held = self.held.read().unwrap_or_else(PoisonError::into_inner);
        look(&held.policy, &context)
    }

    fn stamps(&self) -> Stamps {
        [&self.user_approvals, &self.workspace_approvals].map(|file| {
            let metadata = file.metadata().ok()?;
            Some((metadata.modified().ok()?, metadata.len()))
        })
    }

    /// What was allowed for good in another session counts here too, and what was taken back does not.
    fn refresh(&self) {
        let Some(reload) = &self.reload else {
            return;
        };
        // Taken first: what is written while the files are read is read the next time.
        let stamps = self.stamps();
        let is_known = |held: &Held| held.stamps == stamps;
        if is_known(&self.held.read().unwrap_or_else(PoisonError::into_inner)) {
            return;
        }
        let mut policy = reload();
        let mut held = self.held.write().unwrap_or_else(PoisonError::into_inner);
        for rule in &held.session {
            policy.remember(rule.clone());
        }
        held.policy = policy;
        held.stamps = stamps;
    }

    /// What saving the draft would write, and where.
    fn offered_rule(&self, draft: &Draft, scopes: &[Scope]) -> Option<OfferedRule> {
        let text = saved::merge("", draft).ok()?;
        let file = |scope: &Scope| match scope {
            Scope::Session => None,
            Scope::Workspace => Some((Scope::Workspace, self.workspace_approvals.clone())),
            Scope::User => Some((Scope::User, self.user_approvals.clone())),
        };
        Some(OfferedRule {
            text: text.trim().to_owned(),
            files: scopes.iter().filter_map(file).collect(),
        })
    }

    /// What a person has made of an offered rule. It has to answer for the call that the question is about.
    fn written(&self, call: &Call<'_>, mode: ApprovalMode, rule: &str) -> Result<Draft, String> {
        let offered = self.suggestions(call, mode).into_iter().next();
        let offered = offered.ok_or("nothing can be saved about this call")?;
        let draft = saved::parse_draft(rule, &offered.draft).map_err(|error| error.to_string())?;
        let allows = self.with(mode, |policy, context| {
            let mut policy = policy.clone();
            for rule in draft.rules(pollux_policy::Scope::Session) {
                policy.remember(rule);
            }
            policy.decide(call, context).decision == Decision::Allow
        });
        match allows {
            true => Ok(draft),
            false => Err("it would not allow what is asked about".to_owned()),
        }
    }

    /// Remembers an approval, and saves it unless it is for the session alone.
    async fn hold(&self, draft: Draft, scope: Scope) -> Result<(), String> {
        {
            let mut held = self.held.write().unwrap_or_else(PoisonError::into_inner);
            for rule in draft.rules(policy_scope(scope)) {
                if scope == Scope::Session {
                    held.session.push(rule.clone());
                }
                held.policy.remember(rule);
            }
        }
        let file = match scope {
            Scope::Session => return Ok(()),
            Scope::Workspace => self.workspace_approvals.clone(),
            Scope::User => self.user_approvals.clone(),
        };
        let saved = tokio::task::spawn_blocking(move || saving::save(&file, &draft));
        match saved.await {
            Ok(saved) => saved,
            Err(_) => Err("the approval could not be saved".to_owned()),
        }
    }

    fn suggestions(&self, call: &Call<'_>, mode: ApprovalMode) -> Vec<Suggestion> {
        self.with(mode, |policy, context| policy.suggestions(call, context))
    }
}

impl Gate for PolicyGate {
    fn judge(&self, call: &Call<'_>, mode: ApprovalMode) -> Verdict {
        self.refresh();
        self.with(mode, |policy, context| policy.decide(call, context))
    }

    fn offers(&self, call: &Call<'_>, mode: ApprovalMode) -> Vec<Offer> {
        let offer = |suggestion: Suggestion| {
            let scopes: Vec<Scope> = suggestion.scopes.iter().filter_map(scope).collect();
            Offer {
                rule: self.offered_rule(&suggestion.draft, &scopes),
                label: suggestion.label,
                scopes,
            }
        };
        self.suggestions(call, mode)
            .into_iter()
            .map(offer)
            .collect()
    }

    fn remember<'a>(
        &'a self,
        call: &'a Call<'a>,
        mode: ApprovalMode,
        offer: usize,
        scope: Scope,
    ) -> BoxFuture<'a, Result<(), String>> {
        let suggestion = self.suggestions(call, mode).into_iter().nth(offer);
        Box::pin(async move {
            match suggestion {
                Some(Suggestion { draft, .. }) => self.hold(draft, scope).await,
                None => Err("the approval holds for this once only".to_owned()),
            }
        })
    }

    fn check_rule(&self, call: &Call<'_>, mode: ApprovalMode, rule: &str) -> Result<(), String> {
        self.written(call, mode, rule).map(drop)
    }

    fn remember_rule<'a>(
        &'a self,
        call: &'a Call<'a>,
        mode: ApprovalMode,
        rule: &'a str,
        scope: Scope,
    ) -> BoxFuture<'a, Result<(), String>> {
        Box::pin(async move {
            let draft = self.written(call, mode, rule)?;
            self.hold(draft, scope).await
        })
    }

    fn excluded(&self, tools: &[&str], mode: ApprovalMode) -> BTreeSet<String> {
        let nothing = Map::new();
        self.with(mode, |policy, context| {
            let is_excluded = |tool: &&&str| {
                let call = Call {
                    tool,
                    args: &nothing,
                    server: None,
                    subagent: None,
                    annotations: None,
                };
                policy.is_excluded(&call, context)
            };
            let excluded = tools.iter().filter(is_excluded);
            excluded.map(|tool| (*tool).to_owned()).collect()
        })
    }

    fn presence(&self) -> Presence {
        self.presence
    }

    fn may_enter(&self, mode: ApprovalMode) -> bool {
        let disabled = self.with(mode, |policy, _| policy.options().yolo == Yolo::Disabled);
        mode.suits(self.trust) && !(disabled && mode == ApprovalMode::Yolo)
    }
}

fn scope(scope: &pollux_policy::Scope) -> Option<Scope> {
    match scope {
        pollux_policy::Scope::Once => None,
        pollux_policy::Scope::Session => Some(Scope::Session),
        pollux_policy::Scope::Workspace => Some(Scope::Workspace),
        pollux_policy::Scope::User => Some(Scope::User),
    }
}

fn policy_scope(scope: Scope) -> pollux_policy::Scope {
    match scope {
        Scope::Session => pollux_policy::Scope::Session,
        Scope::Workspace => pollux_policy::Scope::Workspace,
        Scope::User => pollux_policy::Scope::User,
    }
}
