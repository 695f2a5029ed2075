use std::collections::BTreeMap;

use pollux_agent::api::{
    AllEdits, Answer, Approval, ApprovalMode, Offer, Proposal, Question, QuestionKind, Scope,
    Subject, Target,
};
use pollux_workspace::{Asked, Asker, OpenQuestion};

use crate::connection::ClientTraits;

/// A message of a client is no page: an edit that is longer is cut off.
const LONGEST: usize = 2_000;

/// So many buttons come before all others: the one that refuses. Editors such as Emacs with eglot take the first button
/// for the default, and a stray Enter must not allow anything.
const REFUSING: usize = 1;

/// A question as a message with buttons.
pub(super) struct Choices {
    pub(super) message: String,
    buttons: Vec<(String, Button)>,
}

/// What a button does.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Button {
    Answer(Answer),
    /// Takes the person to the edit, and leaves the question open.
    Show,
}

impl Choices {
    pub(super) fn of(question: &OpenQuestion, client: ClientTraits) -> Self {
        match (&question.asked, &question.asker) {
            (Asked::Edit(proposal), Asker::Session) => Self::of_edit("Pollux", proposal),
            (Asked::Edit(proposal), Asker::Guest(name)) => Self::of_guest(name, proposal, client),
            (Asked::Approval(approval), _) => Answers::of_approval(approval).into(),
        }
    }

    /// The edit of an agent outside. A client that shows hunks needs no more than a pointer to them.
    fn of_guest(name: &str, proposal: &Proposal, client: ClientTraits) -> Self {
        let mut choices = Self::of_edit(name, proposal);
        if client.hunks {
            let hunks = match proposal.hunks.len() {
                1 => "1 hunk".to_owned(),
                several => format!("{several} hunks"),
            };
            choices.message = format!(
                "{name} wants to {} {} ({hunks}).",
                verb(proposal),
                proposal.path
            );
        }
        // There is nothing to see of a file that is not there yet.
        if client.shows_documents && proposal.target == Target::File {
            let show = ("Show".to_owned(), Button::Show);
            choices
                .buttons
                .insert(REFUSING.min(choices.buttons.len()), show);
        }
        choices
    }

    fn of_edit(name: &str, proposal: &Proposal) -> Self {
        let message = format!(
            "{name} wants to {} {}:\n{}",
            verb(proposal),
            proposal.path,
            diff(proposal)
        );
        let mut buttons = vec![
            ("Reject".to_owned(), deny()),
            ("Keep".to_owned(), Answer::Allow),
        ];
        if proposal.all_edits == AllEdits::Offered {
            buttons.push((
                "Keep this and all edits of this session".to_owned(),
                Answer::Always {
                    offer: 0,
                    scope: Scope::Session,
                },
            ));
        }
        Answers {
            message: shortened(message),
            buttons,
        }
        .into()
    }

    pub(super) fn titles(&self) -> impl Iterator<Item = &str> {
        self.buttons.iter().map(|(title, _)| title.as_str())
    }

    pub(super) fn answer(&self, title: &str) -> Option<Button> {
        let button = self.buttons.iter().find(|(button, _)| button == title)?;
        Some(button.1.clone())
    }
}

/// A message whose buttons all are answers.
struct Answers {
    message: String,
    buttons: Vec<(String, Answer)>,
}

impl From<Answers> for Choices {
    fn from(answers: Answers) -> Self {
        let button = |(title, answer)| (title, Button::Answer(answer));
        Self {
            message: answers.message,
            buttons: answers.buttons.into_iter().map(button).collect(),
        }
    }
}

impl Answers {
    fn of_approval(approval: &Approval) -> Self {
        match &approval.subject {
            Subject::Questions(questions) => Self::of_questions(questions),
            Subject::Plan { path, .. } => Self {
                message: format!("The plan is ready: {}", path.display()),
                buttons: vec![
                    ("Go on planning".to_owned(), deny()),
                    (
                        "Carry it out".to_owned(),
                        Answer::CarryOut(ApprovalMode::Default),
                    ),
                    (
                        "Carry it out, edits without asking".to_owned(),
                        Answer::CarryOut(ApprovalMode::AutoEdit),
                    ),
                ],
            },
            Subject::Stuck { error, times } => Self {
                message: shortened(format!("{} failed {times} times: {error}", approval.title)),
                buttons: vec![
                    ("Stop".to_owned(), deny()),
                    ("Go on".to_owned(), Answer::Allow),
                ],
            },
            Subject::EnterPlan { reason } => Self {
                message: format!("Pollux would like to plan first. {reason}"),
                buttons: vec![
                    ("No".to_owned(), deny()),
                    ("Plan first".to_owned(), Answer::Allow),
                ],
            },
            Subject::Command {
                command,
                folder,
                cautions,
                ..
            } => {
                // Never cut: its last word counts as much as its first.
                let mut message =
                    format!("Pollux wants to run in {}:\n{command}", folder.display());
                for caution in cautions {
                    message.push_str("\n⚠ ");
                    message.push_str(caution);
                }
                Self::to_allow(message, &approval.offers)
            }
            Subject::Fetch { method, urls, .. } => Self::to_allow(
                format!("Pollux wants to fetch with {method}:\n{}", urls.join("\n")),
                &approval.offers,
            ),
            Subject::Other { arguments } => Self::to_allow(
                shortened(format!(
                    "Pollux wants to use {}:\n{arguments}",
                    approval.title
                )),
                &approval.offers,
            ),
        }
    }

    fn to_allow(message: String, offers: &[Offer]) -> Self {
        let mut buttons = vec![
            ("Deny".to_owned(), deny()),
            ("Allow".to_owned(), Answer::Allow),
        ];
        for (index, offer) in offers.iter().enumerate() {
            for scope in &offer.scopes {
                let until = match scope {
                    Scope::Session => "in this session",
                    Scope::Workspace => "in this workspace",
                    Scope::User => "everywhere",
                };
                buttons.push((
                    format!("Always allow {} {until}", offer.label),
                    Answer::Always {
                        offer: index,
                        scope: *scope,
                    },
                ));
            }
        }
        Self { message, buttons }
    }

    /// Buttons answer one question with something to choose. For anything else a message has no room.
    fn of_questions(questions: &[Question]) -> Self {
        let dismiss = ("Leave it".to_owned(), deny());
        match questions {
            [question] => {
                let options: Vec<String> = match &question.kind {
                    QuestionKind::Text => Vec::new(),
                    QuestionKind::YesNo => vec!["Yes".to_owned(), "No".to_owned()],
                    QuestionKind::Choice { options, .. } => {
                        options.iter().map(|option| option.label.clone()).collect()
                    }
                };
                let reply = |option: String| {
                    let replies = BTreeMap::from([(0, question.picked(&option))]);
                    (option, Answer::Replies(replies))
                };
                let mut buttons = vec![dismiss];
                buttons.extend(options.into_iter().map(reply));
                Self {
                    message: question.text.clone(),
                    buttons,
                }
            }
            several => {
                let texts: Vec<&str> = several
                    .iter()
                    .map(|question| question.text.as_str())
                    .collect();
                Self {
                    message: format!("Pollux asks:\n{}", texts.join("\n")),
                    buttons: vec![dismiss],
                }
            }
        }
    }
}

fn verb(proposal: &Proposal) -> &'static str {
    match proposal.target {
        Target::File => "edit",
        Target::NewFile => "create",
    }
}

fn deny() -> Answer {
    Answer::Deny { feedback: None }
}

/// The hunks, one after the other, as `diff` would show them.
fn diff(proposal: &Proposal) -> String {
    let mut text = String::new();
    let mut part = |sign: &str, lines: &str| {
        for line in lines.lines() {
            text.push_str(sign);
            text.push_str(line);
            text.push('\n');
        }
    };
    for hunk in proposal.hunks.iter() {
        part("@@ ", &format!("line {}", hunk.current_lines().start + 1));
        part("-", hunk.base_text(&proposal.base));
        part("+", hunk.current_text(&proposal.proposed));
    }
    text.truncate(text.trim_end().len());
    text
}

fn shortened(mut message: String) -> String {
    if let Some((cut, _)) = message.char_indices().nth(LONGEST) {
        let rest = message.split_off(cut).chars().count();
        message.push_str(&format!("… ({rest} characters more)"));
    }
    message
}
