use crate::Thought;

/// The first `**subject**` is the subject, the rest the description.
pub(super) fn parse(text: &str) -> Thought {
    let split = text.split_once("**").and_then(|(before, rest)| {
        let (subject, after) = rest.split_once("**")?;
        Some((before, subject, after))
    });
    match split {
        None => Thought {
            subject: String::new(),
            description: text.trim().to_owned(),
        },
        Some((before, subject, after)) => Thought {
            subject: subject.trim().to_owned(),
            description: format!("{before}{after}").trim().to_owned(),
        },
    }
}

/// As the model would have written it.
pub(super) fn write(thought: &Thought) -> String {
    match (thought.subject.as_str(), thought.description.as_str()) {
        ("", description) => description.to_owned(),
        (subject, "") => format!("**{subject}**"),
        (subject, description) => format!("**{subject}**\n{description}"),
    }
}
