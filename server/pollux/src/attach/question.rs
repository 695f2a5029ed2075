//! What the agent asks, as a person reads it, and what a typed line answers.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::io::{self, Write};

use pollux_lsp::protocol::{
    ApprovalAnswer, ApprovalOffer, ApprovalRequest, ApprovalScope, ApprovalSubject, HunkDecision,
    ProposedEdit, ProposedHunk, QuestionForm, QuestionReply, SessionMode, UserQuestion,
};

use crate::terminal::{Screen, Style};

/// Something that waits for a person.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Question {
    Call(ApprovalRequest),
    Edit(ProposedEdit),
}

/// What is sent for an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Reply {
    Answer(ApprovalAnswer),
    Hunks(Vec<HunkDecision>),
}

/// What a line means.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Understood {
    Reply(Reply),
    /// There is one more to be answered.
    Next,
    Nothing,
}

/// A line that begins with this leaves questions of the model unanswered.
const LEAVE_IT: &str = "-";

impl Question {
    pub(super) fn number(&self) -> u64 {
        match self {
            Self::Call(request) => request.approval,
            Self::Edit(edit) => edit.proposal,
        }
    }

    /// The call that it is about.
    pub(super) fn call(&self) -> Option<&str> {
        match self {
            Self::Call(request) => request.call.as_deref(),
            Self::Edit(edit) => Some(&edit.call),
        }
    }

    /// What it is about, in a line.
    pub(super) fn title(&self) -> String {
        match self {
            Self::Call(request) => request.title.clone(),
            Self::Edit(edit) => format!("Edit {}", edit.path),
        }
    }

    /// Shows all of what will run or change. `answered` are those of several questions that have their reply.
    pub(super) fn show(
        &self,
        screen: &mut Screen<impl Write>,
        answered: &BTreeMap<usize, QuestionReply>,
    ) -> io::Result<()> {
        screen.end_prose()?;
        screen.blank()?;
        match self {
            Self::Call(request) => show_call(screen, request, answered),
            Self::Edit(edit) => show_edit(screen, edit),
        }
    }

    /// What may be typed, in as few words as it takes.
    pub(super) fn keys(&self, answered: &BTreeMap<usize, QuestionReply>) -> Vec<String> {
        let mut keys = match self {
            Self::Call(request) => match &request.subject {
                ApprovalSubject::Questions { questions } => {
                    return question_keys(questions.get(answered.len()));
                }
                ApprovalSubject::Plan { .. } => {
                    vec!["y carry it out".to_owned(), "e and edit freely".to_owned()]
                }
                ApprovalSubject::EnterPlan { .. } => vec!["y plan first".to_owned()],
                ApprovalSubject::Stuck { .. } => vec!["y go on".to_owned()],
                ApprovalSubject::Command { .. }
                | ApprovalSubject::Fetch { .. }
                | ApprovalSubject::Other { .. } => {
                    let once = "y once".to_owned();
                    let offers = offers(&request.offers);
                    let longer =
                        offers.map(|(key, _, _, scope)| format!("{key} {}", for_how_long(scope)));
                    std::iter::once(once).chain(longer).collect()
                }
            },
            Self::Edit(edit) => {
                let mut keys = vec!["y keep".to_owned()];
                if edit.hunks.len() > 1 {
                    keys.push("1 2 … keep only these hunks".to_owned());
                }
                if edit.all_edits.contains(&ApprovalScope::Session) {
                    keys.push("s all edits of this session".to_owned());
                }
                keys
            }
        };
        let is_stuck = matches!(self, Self::Call(request) if matches!(request.subject, ApprovalSubject::Stuck { .. }));
        keys.push(if is_stuck { "n stop" } else { "n reject" }.to_owned());
        keys.push("n WHY and say what to do instead".to_owned());
        keys
    }

    /// Whether an empty line can be an answer. It never allows anything.
    pub(super) fn asks_for_words(&self) -> bool {
        match self {
            Self::Call(request) => matches!(request.subject, ApprovalSubject::Questions { .. }),
            Self::Edit(_) => false,
        }
    }

    /// What a line answers. `answered` collects the replies to several questions.
    pub(super) fn understand(
        &self,
        line: &str,
        answered: &mut BTreeMap<usize, QuestionReply>,
    ) -> Understood {
        let line = line.trim();
        if let Self::Call(request) = self
            && let ApprovalSubject::Questions { questions } = &request.subject
        {
            return understand_reply(questions, line, answered);
        }
        if let Some(feedback) = rejection(line) {
            return Understood::Reply(Reply::Answer(ApprovalAnswer::Deny { feedback }));
        }
        let reply = match self {
            Self::Call(request) => call_answer(request, line).map(Reply::Answer),
            Self::Edit(edit) => edit_answer(edit, line),
        };
        reply.map_or(Understood::Nothing, Understood::Reply)
    }
}

fn is_yes(line: &str) -> bool {
    matches!(line, "y" | "Y" | "yes" | "Yes")
}

/// `n`, or `n` and a reason.
fn rejection(line: &str) -> Option<Option<String>> {
    let (word, reason) = match line.split_once(char::is_whitespace) {
        Some((word, reason)) => (word, Some(reason.trim().to_owned())),
        None => (line, None),
    };
    matches!(word.trim_end_matches([',', ':']), "n" | "N" | "no" | "No").then_some(reason)
}

fn call_answer(request: &ApprovalRequest, line: &str) -> Option<ApprovalAnswer> {
    match &request.subject {
        ApprovalSubject::Plan { .. } if is_yes(line) => Some(ApprovalAnswer::CarryOut {
            mode: SessionMode::Default,
        }),
        ApprovalSubject::Plan { .. } if line == "e" => Some(ApprovalAnswer::CarryOut {
            mode: SessionMode::AutoEdit,
        }),
        _ if is_yes(line) => Some(ApprovalAnswer::Allow),
        _ => offers(&request.offers)
            .find(|(key, ..)| key == line)
            .map(|(_, offer, _, scope)| ApprovalAnswer::Always { offer, scope }),
    }
}

fn edit_answer(edit: &ProposedEdit, line: &str) -> Option<Reply> {
    if is_yes(line) {
        return Some(Reply::Answer(ApprovalAnswer::Allow));
    }
    if line == "s" && edit.all_edits.contains(&ApprovalScope::Session) {
        return Some(Reply::Answer(ApprovalAnswer::Always {
            offer: 0,
            scope: ApprovalScope::Session,
        }));
    }
    let words = line.split([' ', ',']).filter(|word| !word.is_empty());
    let kept: Option<Vec<usize>> = words.map(|word| word.parse().ok()).collect();
    let kept = kept.filter(|kept| !kept.is_empty())?;
    let known = kept
        .iter()
        .all(|hunk| (1..=edit.hunks.len()).contains(hunk));
    let decide = |hunk| match kept.contains(&hunk) {
        true => HunkDecision::Keep,
        false => HunkDecision::Reject,
    };
    known.then(|| Reply::Hunks((1..=edit.hunks.len()).map(decide).collect()))
}

/// What can be allowed for longer: the key, the number of the offer, its label, and for how long.
fn offers(offers: &[ApprovalOffer]) -> impl Iterator<Item = (String, usize, &str, ApprovalScope)> {
    offers.iter().enumerate().flat_map(|(number, offer)| {
        offer.scopes.iter().map(move |scope| {
            let letter = match scope {
                ApprovalScope::Session => "s",
                ApprovalScope::Workspace => "w",
                ApprovalScope::User => "a",
            };
            let key = match number {
                0 => letter.to_owned(),
                _ => format!("{letter}{}", number + 1),
            };
            (key, number, offer.label.as_str(), *scope)
        })
    })
}

pub(super) fn for_how_long(scope: ApprovalScope) -> &'static str {
    match scope {
        ApprovalScope::Session => "in this session",
        ApprovalScope::Workspace => "in this workspace",
        ApprovalScope::User => "always",
    }
}

fn show_call(
    screen: &mut Screen<impl Write>,
    request: &ApprovalRequest,
    answered: &BTreeMap<usize, QuestionReply>,
) -> io::Result<()> {
    if let ApprovalSubject::Questions { questions } = &request.subject {
        return show_question(screen, questions, answered.len());
    }
    let head = match &request.subject {
        ApprovalSubject::Command { folder, .. } => format!("Run this in {folder}?"),
        ApprovalSubject::Fetch { method, .. } => format!("Fetch this with {method}?"),
        ApprovalSubject::EnterPlan { .. } => "Plan first?".to_owned(),
        ApprovalSubject::Plan { path, .. } => format!("Carry out the plan {path}?"),
        ApprovalSubject::Stuck { times, .. } => {
            format!("{} failed {times} times. Go on?", request.title)
        }
        ApprovalSubject::Other { .. } | ApprovalSubject::Questions { .. } => {
            format!("Use {}: {}?", request.tool, request.title)
        }
    };
    screen.line(&[(Style::Bold, &head)])?;
    match &request.subject {
        ApprovalSubject::Command {
            command, cautions, ..
        } => {
            quoted(screen, command)?;
            for caution in cautions {
                screen.line(&[(Style::Removed, "  ⚠ "), (Style::Plain, caution)])?;
            }
        }
        ApprovalSubject::Fetch { prompt, urls, .. } => {
            quoted(screen, &urls.join("\n"))?;
            screen.line(&[(Style::Dim, "  for: "), (Style::Dim, prompt)])?;
        }
        ApprovalSubject::EnterPlan { reason: text }
        | ApprovalSubject::Plan { text, .. }
        | ApprovalSubject::Stuck { error: text, .. }
        | ApprovalSubject::Other { arguments: text } => quoted(screen, text)?,
        ApprovalSubject::Questions { .. } => {}
    }
    let rule = request.rule.as_ref().map(|rule| rule.text.as_str());
    let why = match (request.reason.as_str(), rule) {
        ("", None) => String::new(),
        ("", Some(rule)) => format!("  asked by {rule}"),
        (reason, None) => format!("  {reason}"),
        (reason, Some(rule)) => format!("  {reason} ({rule})"),
    };
    if !why.is_empty() {
        screen.line(&[(Style::Dim, &why)])?;
    }
    for (key, _, label, scope) in offers(&request.offers) {
        let until = for_how_long(scope);
        screen.line(&[
            (Style::Bold, &format!("  {key:<3}")),
            (Style::Plain, &format!("{until}: ")),
            (Style::Code, label),
        ])?;
    }
    Ok(())
}

/// Each line behind a bar of ours, so that none can pass for something we say.
fn quoted(screen: &mut Screen<impl Write>, text: &str) -> io::Result<()> {
    for line in text.split('\n') {
        screen.line(&[(Style::Dim, "  │ "), (Style::Code, line)])?;
    }
    Ok(())
}

fn show_edit(screen: &mut Screen<impl Write>, edit: &ProposedEdit) -> io::Result<()> {
    let head = format!("Keep this edit of {}?", edit.path);
    screen.line(&[(Style::Bold, &head)])?;
    for (index, hunk) in edit.hunks.iter().enumerate() {
        let place = format!("  @@ line {} @@", hunk.base_line + 1);
        let number = format!("  hunk {} of {}", index + 1, edit.hunks.len());
        screen.line(&[(Style::Code, &place), (Style::Dim, &number)])?;
        show_hunk(screen, hunk)?;
    }
    Ok(())
}

fn show_hunk(screen: &mut Screen<impl Write>, hunk: &ProposedHunk) -> io::Result<()> {
    let sides = [
        ("  -", Style::Removed, &hunk.removed),
        ("  +", Style::Added, &hunk.added),
    ];
    for (sign, style, text) in sides {
        for line in text.split_inclusive('\n') {
            let ended = line.strip_suffix('\n');
            screen.line(&[(style, sign), (style, ended.unwrap_or(line))])?;
            if ended.is_none() {
                screen.line(&[(Style::Dim, "  \\ no newline at the end of the file")])?;
            }
        }
    }
    Ok(())
}

fn show_question(
    screen: &mut Screen<impl Write>,
    questions: &[UserQuestion],
    place: usize,
) -> io::Result<()> {
    let Some(question) = questions.get(place) else {
        return Ok(());
    };
    let count = match questions.len() {
        1 => String::new(),
        count => format!("  {} of {count}", place + 1),
    };
    screen.line(&[(Style::Bold, &question.header), (Style::Dim, &count)])?;
    quoted(screen, &question.text)?;
    if let QuestionForm::Choice { options, .. } = &question.answer {
        for (index, option) in options.iter().enumerate() {
            let number = format!("  {:<3}", index + 1);
            let more = match option.description.as_str() {
                "" => String::new(),
                description => format!("  {description}"),
            };
            screen.line(&[
                (Style::Bold, &number),
                (Style::Plain, &option.label),
                (Style::Dim, &more),
            ])?;
        }
    }
    Ok(())
}

fn question_keys(question: Option<&UserQuestion>) -> Vec<String> {
    let how = match question.map(|question| &question.answer) {
        Some(QuestionForm::YesNo) => "y or n",
        Some(QuestionForm::Choice { several: true, .. }) => "numbers, or your own words",
        Some(QuestionForm::Choice { several: false, .. }) => "a number, or your own words",
        Some(QuestionForm::Text) | None => "your words",
    };
    let nothing = question.and_then(|question| match &question.default {
        Some(default) => match default.to_string().as_str() {
            "" => Some("Enter for no answer".to_owned()),
            default => Some(format!("Enter for {default}")),
        },
        None => question.optional.then(|| "Enter for no answer".to_owned()),
    });
    let mut keys = vec![how.to_owned()];
    keys.extend(nothing);
    keys.push(format!("{LEAVE_IT} leave it"));
    keys
}

fn understand_reply(
    questions: &[UserQuestion],
    line: &str,
    answered: &mut BTreeMap<usize, QuestionReply>,
) -> Understood {
    if line == LEAVE_IT {
        let feedback = None;
        return Understood::Reply(Reply::Answer(ApprovalAnswer::Deny { feedback }));
    }
    let place = answered.len();
    let question = questions.get(place);
    let Some(reply) = question.and_then(|question| reply_to(question, line)) else {
        return Understood::Nothing;
    };
    answered.insert(place, reply);
    match answered.len() < questions.len() {
        true => Understood::Next,
        false => Understood::Reply(Reply::Answer(ApprovalAnswer::Replies {
            replies: answered
                .iter()
                .map(|(place, reply)| (place.to_string(), reply.clone()))
                .collect(),
        })),
    }
}

/// An empty line is what stands there already, or no answer where there may be none.
fn reply_to(question: &UserQuestion, line: &str) -> Option<QuestionReply> {
    match (line, &question.default) {
        ("", Some(default)) => Some(default.clone()),
        ("", None) => question.optional.then(|| words("")),
        _ => reply(&question.answer, line),
    }
}

fn words(words: &str) -> QuestionReply {
    QuestionReply::Words(words.to_owned())
}

fn reply(form: &QuestionForm, line: &str) -> Option<QuestionReply> {
    match form {
        QuestionForm::Text => Some(words(line)),
        QuestionForm::YesNo if is_yes(line) => Some(words("Yes")),
        QuestionForm::YesNo => (rejection(line) == Some(None)).then(|| words("No")),
        QuestionForm::Choice { options, several } => {
            let parts = line.split([' ', ',']).filter(|part| !part.is_empty());
            let numbers: Option<Vec<usize>> = parts.map(|part| part.parse().ok()).collect();
            let Some(numbers) = numbers else {
                return Some(words(line));
            };
            let labels: Option<Vec<String>> = numbers
                .iter()
                .map(|number| {
                    let option = number.checked_sub(1).and_then(|at| options.get(at));
                    option.map(|option| option.label.clone())
                })
                .collect();
            match (labels?.as_slice(), several) {
                (labels, true) => Some(QuestionReply::Chosen(labels.to_vec())),
                ([label], false) => Some(words(label)),
                (_, false) => None,
            }
        }
    }
}
