//! Approvals between the agent's words and the protocol's.

use std::path::PathBuf;

use pollux_agent::api::{
    self, Answer, Approval, ApprovalMode, Offer, Pick, Question, QuestionKind, Reply, Scope,
    Subject,
};

use crate::protocol::{
    ApprovalAnswer, ApprovalOffer, ApprovalRequest, ApprovalScope, ApprovalSubject, AskingRule,
    OfferedRule, QuestionForm, QuestionOption, QuestionReply, RuleFile, SessionMode, UserQuestion,
};

pub(super) fn request(approval: &Approval) -> ApprovalRequest {
    ApprovalRequest {
        approval: approval.id.0,
        call: approval.call.as_ref().map(ToString::to_string),
        tool: approval.tool.clone(),
        title: approval.title.clone(),
        reason: approval.reason.clone(),
        rule: approval.rule.as_ref().map(asking_rule),
        subject: subject(&approval.subject),
        offers: approval.offers.iter().map(offer).collect(),
    }
}

fn subject(subject: &Subject) -> ApprovalSubject {
    match subject {
        Subject::Command {
            command,
            folder,
            programs,
            cautions,
        } => ApprovalSubject::Command {
            command: command.clone(),
            folder: folder.display().to_string(),
            programs: programs.clone(),
            cautions: cautions.clone(),
        },
        Subject::Fetch {
            prompt,
            method,
            urls,
        } => ApprovalSubject::Fetch {
            prompt: prompt.clone(),
            method: (*method).to_owned(),
            urls: urls.clone(),
        },
        Subject::Questions(questions) => ApprovalSubject::Questions {
            questions: questions.iter().map(question).collect(),
        },
        Subject::EnterPlan { reason } => ApprovalSubject::EnterPlan {
            reason: reason.clone(),
        },
        Subject::Plan { path, text } => ApprovalSubject::Plan {
            path: path.display().to_string(),
            text: text.clone(),
        },
        Subject::Stuck { error, times } => ApprovalSubject::Stuck {
            error: error.clone(),
            times: *times,
        },
        Subject::Other { arguments } => ApprovalSubject::Other {
            arguments: arguments.clone(),
        },
    }
}

fn question(question: &Question) -> UserQuestion {
    UserQuestion {
        text: question.text.clone(),
        header: question.header.clone(),
        answer: match &question.kind {
            QuestionKind::Text => QuestionForm::Text,
            QuestionKind::YesNo => QuestionForm::YesNo,
            QuestionKind::Choice { options, pick } => QuestionForm::Choice {
                options: options
                    .iter()
                    .map(|option| QuestionOption {
                        label: option.label.clone(),
                        description: option.description.clone(),
                    })
                    .collect(),
                several: *pick == Pick::Several,
            },
        },
        placeholder: question.placeholder.clone(),
        default: question.default.as_ref().map(said),
        optional: question.is_optional,
    }
}

fn asking_rule(rule: &api::AskingRule) -> AskingRule {
    AskingRule {
        text: rule.text.clone(),
        file: rule.file.as_ref().map(|file| file.display().to_string()),
        line: rule.line.and_then(|line| u32::try_from(line).ok()),
    }
}

fn scope(scope: Scope) -> ApprovalScope {
    match scope {
        Scope::Session => ApprovalScope::Session,
        Scope::Workspace => ApprovalScope::Workspace,
        Scope::User => ApprovalScope::User,
    }
}

fn offer(offer: &Offer) -> ApprovalOffer {
    let file = |(of, file): &(Scope, PathBuf)| RuleFile {
        scope: scope(*of),
        file: file.display().to_string(),
    };
    ApprovalOffer {
        label: offer.label.clone(),
        scopes: offer.scopes.iter().copied().map(scope).collect(),
        rule: offer.rule.as_ref().map(|rule| OfferedRule {
            text: rule.text.clone(),
            files: rule.files.iter().map(file).collect(),
        }),
    }
}

pub(super) fn answer(answer: ApprovalAnswer) -> Answer {
    match answer {
        ApprovalAnswer::Allow => Answer::Allow,
        ApprovalAnswer::Always { offer, scope } => Answer::Always {
            offer,
            scope: wanted_scope(scope),
        },
        ApprovalAnswer::AlwaysBy { rule, scope } => Answer::AlwaysBy {
            rule,
            scope: wanted_scope(scope),
        },
        ApprovalAnswer::AllowWith { content } => Answer::AllowWith { content },
        ApprovalAnswer::Deny { feedback } => Answer::Deny { feedback },
        ApprovalAnswer::Replies { replies } => {
            let replies = replies.into_iter();
            let placed =
                replies.filter_map(|(place, reply)| Some((place.parse().ok()?, heard(reply))));
            Answer::Replies(placed.collect())
        }
        ApprovalAnswer::CarryOut { mode: into } => Answer::CarryOut(mode(into)),
    }
}

pub(super) fn answered(answer: &Answer) -> ApprovalAnswer {
    match answer {
        Answer::Allow => ApprovalAnswer::Allow,
        Answer::Always { offer, scope } => ApprovalAnswer::Always {
            offer: *offer,
            scope: given_scope(*scope),
        },
        Answer::AlwaysBy { rule, scope } => ApprovalAnswer::AlwaysBy {
            rule: rule.clone(),
            scope: given_scope(*scope),
        },
        Answer::AllowWith { content } => ApprovalAnswer::AllowWith {
            content: content.clone(),
        },
        Answer::Deny { feedback } => ApprovalAnswer::Deny {
            feedback: feedback.clone(),
        },
        Answer::Replies(replies) => {
            let replies = replies.iter();
            let named = replies.map(|(place, reply)| (place.to_string(), said(reply)));
            ApprovalAnswer::Replies {
                replies: named.collect(),
            }
        }
        Answer::CarryOut(into) => ApprovalAnswer::CarryOut {
            mode: shown_mode(*into),
        },
    }
}

fn heard(reply: QuestionReply) -> Reply {
    match reply {
        QuestionReply::Words(words) => Reply::Words(words),
        QuestionReply::Chosen(labels) => Reply::Chosen(labels),
    }
}

fn said(reply: &Reply) -> QuestionReply {
    match reply {
        Reply::Words(words) => QuestionReply::Words(words.clone()),
        Reply::Chosen(labels) => QuestionReply::Chosen(labels.clone()),
    }
}

fn wanted_scope(scope: ApprovalScope) -> Scope {
    match scope {
        ApprovalScope::Session => Scope::Session,
        ApprovalScope::Workspace => Scope::Workspace,
        ApprovalScope::User => Scope::User,
    }
}

fn given_scope(scope: Scope) -> ApprovalScope {
    match scope {
        Scope::Session => ApprovalScope::Session,
        Scope::Workspace => ApprovalScope::Workspace,
        Scope::User => ApprovalScope::User,
    }
}

pub(super) fn mode(mode: SessionMode) -> ApprovalMode {
    match mode {
        SessionMode::Plan => ApprovalMode::Plan,
        SessionMode::Default => ApprovalMode::Default,
        SessionMode::AutoEdit => ApprovalMode::AutoEdit,
        SessionMode::Yolo => ApprovalMode::Yolo,
    }
}

pub(super) fn shown_mode(mode: ApprovalMode) -> SessionMode {
    match mode {
        ApprovalMode::Plan => SessionMode::Plan,
        ApprovalMode::Default => SessionMode::Default,
        ApprovalMode::AutoEdit => SessionMode::AutoEdit,
        ApprovalMode::Yolo => SessionMode::Yolo,
    }
}
