//! What a person can say to a question, as the options of a permission request.

use std::collections::BTreeMap;

use agent_client_protocol_schema::v1::{
    Meta, PermissionOption, PermissionOptionId, PermissionOptionKind,
};
use pollux_agent::api::{
    AllEdits, Answer, Approval, ApprovalMode, Offer, Proposal, Question, QuestionKind, Scope,
    Subject,
};
use pollux_workspace::Asked;

/// What an option does.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Choice {
    Answer(Answer),
    AskWhy,
}

pub(super) struct Choices(Vec<(PermissionOption, Choice)>);

impl Choices {
    /// `forms`: whether the client can ask for words.
    pub(super) fn of(asked: &Asked, forms: bool) -> Self {
        let mut choices = Self(Vec::new());
        match asked {
            Asked::Edit(proposal) => choices.about_edit(proposal),
            Asked::Approval(approval) => choices.about(approval),
        }
        let is_plain = |asked: &Asked| match asked {
            Asked::Edit(_) => true,
            Asked::Approval(approval) => matches!(
                approval.subject,
                Subject::Command { .. } | Subject::Fetch { .. } | Subject::Other { .. }
            ),
        };
        if forms && is_plain(asked) {
            choices.push(
                "reject-why",
                "Reject, and say what to do instead…",
                PermissionOptionKind::RejectOnce,
                Choice::AskWhy,
            );
        }
        choices
    }

    pub(super) fn options(&self) -> Vec<PermissionOption> {
        self.0.iter().map(|(option, _)| option.clone()).collect()
    }

    pub(super) fn find(&self, id: &PermissionOptionId) -> Option<&Choice> {
        let found = self.0.iter().find(|(option, _)| option.option_id == *id);
        found.map(|(_, choice)| choice)
    }

    fn about_edit(&mut self, proposal: &Proposal) {
        self.allow("allow", "Keep", Answer::Allow);
        if proposal.all_edits == AllEdits::Offered {
            let all = Answer::Always {
                offer: 0,
                scope: Scope::Session,
            };
            self.push(
                "always-0-session",
                "Keep this and all edits of this session",
                PermissionOptionKind::AllowAlways,
                Choice::Answer(all),
            );
        }
        self.reject("Reject");
    }

    fn about(&mut self, approval: &Approval) {
        match &approval.subject {
            Subject::Command { .. } | Subject::Fetch { .. } | Subject::Other { .. } => {
                self.allow("allow", "Allow", Answer::Allow);
                for (place, offer) in approval.offers.iter().enumerate() {
                    self.offer(place, offer);
                }
                self.reject("Reject");
            }
            Subject::Plan { .. } => {
                self.allow(
                    "carry-out",
                    "Carry it out, and ask before edits",
                    Answer::CarryOut(ApprovalMode::Default),
                );
                self.push(
                    "carry-out-edits",
                    "Carry it out, edits without asking",
                    PermissionOptionKind::AllowAlways,
                    Choice::Answer(Answer::CarryOut(ApprovalMode::AutoEdit)),
                );
                self.reject("Go on planning");
            }
            Subject::EnterPlan { .. } => {
                self.allow("allow", "Plan first", Answer::Allow);
                self.reject("No");
            }
            Subject::Stuck { .. } => {
                self.allow("allow", "Go on", Answer::Allow);
                self.reject("Stop");
            }
            Subject::Questions(questions) => self.about_questions(questions),
        }
    }

    /// Options answer one question with something to choose. What wants words is answered with the next prompt.
    fn about_questions(&mut self, questions: &[Question]) {
        let [question] = questions else {
            return self.reject("Answer in the chat");
        };
        let replies: Vec<&str> = match &question.kind {
            QuestionKind::Text => return self.reject("Answer in the chat"),
            QuestionKind::YesNo => vec!["Yes", "No"],
            QuestionKind::Choice { options, .. } => {
                options.iter().map(|option| option.label.as_str()).collect()
            }
        };
        for (place, reply) in replies.into_iter().enumerate() {
            let answer = Answer::Replies(BTreeMap::from([(0, question.picked(reply))]));
            self.allow(&format!("reply-{place}"), reply, answer);
        }
        self.reject("Leave it");
    }

    /// One option for each time that an approval may hold. What would be written, and where, goes along.
    fn offer(&mut self, place: usize, offer: &Offer) {
        for scope in &offer.scopes {
            let (name, until) = match scope {
                Scope::Session => ("session", "in this session"),
                Scope::Workspace => ("workspace", "in this workspace"),
                Scope::User => ("user", "everywhere"),
            };
            let id = format!("always-{place}-{name}");
            let label = format!("Always allow {} {until}", offer.label);
            let answer = Answer::Always {
                offer: place,
                scope: *scope,
            };
            let option = PermissionOption::new(id, label, PermissionOptionKind::AllowAlways)
                .meta(rule(offer, *scope));
            self.0.push((option, Choice::Answer(answer)));
        }
    }

    fn allow(&mut self, id: &str, name: &str, answer: Answer) {
        let kind = PermissionOptionKind::AllowOnce;
        self.push(id, name, kind, Choice::Answer(answer));
    }

    fn reject(&mut self, name: &str) {
        let denied = Choice::Answer(Answer::Deny { feedback: None });
        self.push("reject", name, PermissionOptionKind::RejectOnce, denied);
    }

    fn push(&mut self, id: &str, name: &str, kind: PermissionOptionKind, choice: Choice) {
        let option = PermissionOption::new(id.to_owned(), name, kind);
        self.0.push((option, choice));
    }
}

/// The rule that would be saved, for clients that show more than a name.
fn rule(offer: &Offer, scope: Scope) -> Option<Meta> {
    let rule = offer.rule.as_ref()?;
    let mut meta = Meta::new();
    meta.insert("rule".to_owned(), rule.text.clone().into());
    if let Some((_, file)) = rule.files.iter().find(|(of, _)| *of == scope) {
        meta.insert("file".to_owned(), file.display().to_string().into());
    }
    Some(meta)
}

#[cfg(test)]
mod tests;
