//! Questions to the person, and their answers.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A call that waits for a person, with everything that is needed to judge it, or a question of another kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalRequest {
    pub approval: u64,
    /// Left out for a question that is about no call, such as which model is to go on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    pub tool: String,
    /// What the call does, in words for a person.
    pub title: String,
    /// Why somebody is asked.
    pub reason: String,
    /// The rule that wants it. Left out where no rule speaks of the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<AskingRule>,
    pub subject: ApprovalSubject,
    /// What "always" may mean here, the narrowest first.
    pub offers: Vec<ApprovalOffer>,
}

/// What a person is asked about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    tag = "kind",
    rename_all = "camelCase",
    rename_all_fields = "camelCase"
)]
pub enum ApprovalSubject {
    Command {
        command: String,
        folder: String,
        programs: Vec<String>,
        /// What is unusual about it, a sentence each.
        cautions: Vec<String>,
    },
    Fetch {
        prompt: String,
        /// The method of the requests, `GET`.
        method: String,
        urls: Vec<String>,
    },
    Questions {
        questions: Vec<UserQuestion>,
    },
    EnterPlan {
        reason: String,
    },
    Plan {
        path: String,
        text: String,
    },
    /// The same call fails again and again; `allow` lets the agent go on.
    Stuck {
        error: String,
        times: u32,
    },
    Other {
        /// The arguments as JSON.
        arguments: String,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UserQuestion {
    pub text: String,
    pub header: String,
    pub answer: QuestionForm,
    /// A hint at what an answer looks like: shown, and never sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub placeholder: Option<String>,
    /// What stands there already. A reply that is left out stands for it, and an empty one for no answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<QuestionReply>,
    /// Whether there may be no answer.
    pub optional: bool,
}

/// What is said to one question: words, or the labels of several choices. A label may have any character in it, so
/// labels are never joined; words that name several choices are taken apart by the labels that are known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum QuestionReply {
    Words(String),
    Chosen(Vec<String>),
}

/// For a person to read.
impl fmt::Display for QuestionReply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Words(words) => f.write_str(words),
            Self::Chosen(labels) => f.write_str(&labels.join(", ")),
        }
    }
}

/// How a question is answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    tag = "kind",
    rename_all = "camelCase",
    rename_all_fields = "camelCase"
)]
pub enum QuestionForm {
    Text,
    YesNo,
    Choice {
        options: Vec<QuestionOption>,
        /// Whether several may be chosen.
        several: bool,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QuestionOption {
    pub label: String,
    pub description: String,
}

/// Something that can be allowed for good.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalOffer {
    /// What would be allowed: `npm test`.
    pub label: String,
    pub scopes: Vec<ApprovalScope>,
    /// What would be kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<OfferedRule>,
}

/// A rule as it would be saved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OfferedRule {
    /// As TOML.
    pub text: String,
    /// Where it would go, by scope. For the session alone nothing is written.
    pub files: Vec<RuleFile>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RuleFile {
    pub scope: ApprovalScope,
    pub file: String,
}

/// Where a rule stands that wants somebody to be asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AskingRule {
    /// What it is called: `default: write.toml:10`.
    pub text: String,
    /// Left out for a rule that comes with Pollux.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}

/// How long an approval holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ApprovalScope {
    Session,
    Workspace,
    User,
}

/// What a person says to an approval.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    tag = "kind",
    rename_all = "camelCase",
    rename_all_fields = "camelCase"
)]
pub enum ApprovalAnswer {
    Allow,
    /// This time and from now on.
    Always {
        /// Which of the offers, from zero.
        offer: usize,
        scope: ApprovalScope,
    },
    /// This time and from now on, by a rule that the person has made of the one that was offered. A rule that cannot be
    /// used comes back as `refused`, and the question stays open.
    AlwaysBy {
        /// One rule, as TOML.
        rule: String,
        scope: ApprovalScope,
    },
    /// To a proposed edit: yes, but the file is to hold this text as a whole.
    AllowWith {
        content: String,
    },
    Deny {
        /// What to do instead. The call is rejected and the turn goes on, with or without it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        feedback: Option<String>,
    },
    /// To questions: by the question's place, from zero. The places are texts here, because a number that is a name cannot
    /// be read inside of a tagged type.
    Replies {
        replies: BTreeMap<String, QuestionReply>,
    },
    /// To a plan: carry it out, in this mode.
    CarryOut {
        mode: SessionMode,
    },
}

/// How much the agent may do without asking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum SessionMode {
    Plan,
    Default,
    AutoEdit,
    Yolo,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalAnswerParams {
    pub session: String,
    /// The number of the question, or of a proposed edit, which is then kept or rejected whole.
    pub approval: u64,
    pub answer: ApprovalAnswer,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModeSetParams {
    pub session: String,
    pub mode: SessionMode,
}
