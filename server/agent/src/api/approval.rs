use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use pollux_policy::ApprovalMode;

use super::{CallId, ProposalId};

/// Names a question to the person within its session. Proposed edits are numbered in the same row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ApprovalId(pub u64);

impl fmt::Display for ApprovalId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl From<ProposalId> for ApprovalId {
    fn from(proposal: ProposalId) -> Self {
        Self(proposal.0)
    }
}

/// A call that waits for a person, with everything that is needed to judge it. Or a question of another kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Approval {
    pub id: ApprovalId,
    /// Nothing for a question that is about no call, such as which model is to go on.
    pub call: Option<CallId>,
    pub tool: String,
    /// What the call does, in words for a person.
    pub title: String,
    /// Why somebody is asked.
    pub reason: String,
    /// The rule that wants it; nothing where no rule speaks of the call.
    pub rule: Option<AskingRule>,
    pub subject: Subject,
    /// What "always" may mean here, the narrowest first; empty where it may mean nothing.
    pub offers: Vec<Offer>,
}

/// What a person is asked about.
#[derive(Clone, Debug, PartialEq)]
pub enum Subject {
    Command {
        /// Whole, as it would run.
        command: String,
        folder: PathBuf,
        /// The programs in it.
        programs: Vec<String>,
        /// What is unusual about it, a sentence each.
        cautions: Vec<String>,
    },
    Fetch {
        prompt: String,
        /// `GET`: pages are read and nothing is sent.
        method: &'static str,
        urls: Vec<String>,
    },
    Questions(Vec<Question>),
    /// The agent would like to plan first.
    EnterPlan {
        reason: String,
    },
    /// The plan is written and could be carried out.
    Plan {
        path: PathBuf,
        text: String,
    },
    /// The same call fails again and again; allowing it lets the agent go on.
    Stuck {
        error: String,
        times: u32,
    },
    Other {
        /// The arguments as JSON.
        arguments: String,
    },
}

/// Something that can be allowed for good.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// What would be allowed: `npm test`, `edits of src/a.rs`.
    pub label: String,
    /// How long that may hold.
    pub scopes: Vec<Scope>,
    /// What would be kept; nothing where that cannot be told.
    pub rule: Option<OfferedRule>,
}

/// A rule as it would be saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedRule {
    /// As TOML.
    pub text: String,
    /// Where it would go. For the session alone nothing is written.
    pub files: Vec<(Scope, PathBuf)>,
}

/// Where a rule stands that wants somebody to be asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskingRule {
    /// What it is called: `default: write.toml:10`.
    pub text: String,
    /// Nothing for a rule that comes with Pollux.
    pub file: Option<PathBuf>,
    /// Counted from 1.
    pub line: Option<usize>,
}

/// How long an approval holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    Session,
    Workspace,
    User,
}

/// Where somebody answers, by the name people know it by: `Visual Studio Code`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window(pub Arc<str>);

/// What a person says to an approval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    Allow,
    /// This time and from now on.
    Always {
        /// Which of the [`Approval::offers`].
        offer: usize,
        scope: Scope,
    },
    /// This time and from now on, by a rule that the person has made of the offered one.
    AlwaysBy {
        /// As TOML.
        rule: String,
        scope: Scope,
    },
    /// To a proposed edit: yes, but the file is to hold this text as a whole.
    AllowWith {
        content: String,
    },
    Deny {
        /// What to do instead. The model is told of the rejection and goes on, with or without it.
        feedback: Option<String>,
    },
    /// To [`Subject::Questions`]: by the question's place.
    Replies(BTreeMap<usize, Reply>),
    /// To [`Subject::Plan`]: carry it out, in this mode.
    CarryOut(ApprovalMode),
}

/// One question of `ask_user`, or of a server in the midst of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    pub text: String,
    /// A word or two.
    pub header: String,
    pub kind: QuestionKind,
    /// A hint at what an answer looks like. It is never an answer itself.
    pub placeholder: Option<String>,
    /// The answer of somebody who leaves the question as it is. An empty reply stands for no answer instead.
    pub default: Option<Reply>,
    pub is_optional: bool,
}

/// What somebody says to one question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    Words(String),
    /// Of several choices, by their labels. They are not joined, because a label may have any character in it.
    Chosen(Vec<String>),
}

impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Words(words) => f.write_str(words),
            Self::Chosen(labels) => f.write_str(&labels.join(", ")),
        }
    }
}

impl Question {
    /// The reply of somebody who can point at one thing only.
    pub fn picked(&self, label: &str) -> Reply {
        match self.kind {
            QuestionKind::Choice {
                pick: Pick::Several,
                ..
            } => Reply::Chosen(vec![label.to_owned()]),
            QuestionKind::Choice {
                pick: Pick::One, ..
            }
            | QuestionKind::Text
            | QuestionKind::YesNo => Reply::Words(label.to_owned()),
        }
    }
}

/// How a question is answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QuestionKind {
    Text,
    YesNo,
    Choice { options: Vec<Choice>, pick: Pick },
}

/// Something to choose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    pub label: String,
    pub description: String,
}

/// How many of the choices may be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pick {
    One,
    Several,
}
