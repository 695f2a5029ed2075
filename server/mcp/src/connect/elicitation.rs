//! What a server asks the person, as questions, and the answers as the server wants them.

#[cfg(test)]
mod tests;

use pollux_agent::Replies;
use pollux_agent::api::{Choice, Pick, Question, QuestionKind, Reply};
use serde_json::{Map, Value};

/// Nobody fills in a longer form in the midst of a turn. The reference server of the protocol asks 13 things.
const MOST_QUESTIONS: usize = 20;
const MOST_CHOICES: usize = 50;
const LONGEST_TEXT: usize = 1_000;

/// A form of a server.
#[derive(Debug)]
pub(super) struct Form {
    fields: Vec<Field>,
}

#[derive(Debug)]
struct Field {
    name: String,
    required: bool,
    /// What counts where nothing is said.
    default: Option<Value>,
    question: Question,
    kind: Kind,
}

#[derive(Clone, Debug, PartialEq)]
enum Kind {
    Text,
    Number,
    Integer,
    YesNo,
    /// Values by what the person sees of them.
    One(Vec<(String, Value)>),
    Several(Vec<(String, Value)>),
}

impl Form {
    /// Nothing for a form that nobody could be asked to fill in.
    pub(super) fn of(schema: &Value) -> Option<Self> {
        let empty = Map::new();
        let properties = match schema.get("properties") {
            None => &empty,
            Some(properties) => properties.as_object()?,
        };
        if properties.len() > MOST_QUESTIONS {
            return None;
        }
        let required = schema.get("required").and_then(Value::as_array);
        let is_required = |name: &str| {
            let mut names = required.into_iter().flatten();
            names.any(|required| required.as_str() == Some(name))
        };
        let fields = properties
            .iter()
            .map(|(name, schema)| Field::of(name, schema, is_required(name)));
        Some(Self {
            fields: fields.collect::<Option<_>>()?,
        })
    }

    /// The message stands above the first. A form without fields asks for a yes.
    pub(super) fn questions(&self, message: &str) -> Vec<Question> {
        if self.fields.is_empty() {
            return vec![Question {
                text: shortened(message),
                header: "Agree".to_owned(),
                kind: QuestionKind::YesNo,
                placeholder: None,
                default: None,
                is_optional: false,
            }];
        }
        let fields = self.fields.iter().map(|field| field.question.clone());
        let mut questions: Vec<Question> = fields.collect();
        if let Some(first) = questions.first_mut() {
            first.text = shortened(&format!("{message}\n{}", first.text));
        }
        questions
    }

    /// What the server gets. An error says which answer is none.
    pub(super) fn filled(&self, replies: &Replies) -> Result<Option<Value>, String> {
        if self.fields.is_empty() {
            let reply = replies.get(&0).map(Reply::to_string);
            let agreed = reply.is_some_and(|reply| truth(reply.trim()) == Some(true));
            return Ok(agreed.then(|| Value::Object(Map::new())));
        }
        let mut filled = Map::new();
        for (place, field) in self.fields.iter().enumerate() {
            let value = match replies.get(&place) {
                None => field.default.clone(),
                // Emptied, which is not the same as left as it was.
                Some(reply) if reply.to_string().trim().is_empty() => None,
                Some(reply) => Some(field.value(reply).ok_or_else(|| field.name.clone())?),
            };
            match value {
                Some(value) => {
                    filled.insert(field.name.clone(), value);
                }
                None if field.required => return Err(field.name.clone()),
                None => {}
            }
        }
        Ok(Some(Value::Object(filled)))
    }
}

impl Field {
    fn of(name: &str, schema: &Value, required: bool) -> Option<Self> {
        let text = |key: &str| schema.get(key).and_then(Value::as_str);
        let kind = Kind::of(schema)?;
        let options = |choices: &[(String, Value)]| {
            let option = |(label, _): &(String, Value)| Choice {
                label: label.clone(),
                description: String::new(),
            };
            choices.iter().map(option).collect::<Vec<_>>()
        };
        let told = text("description").or(text("title")).unwrap_or(name);
        let default = schema.get("default");
        let shown = default.and_then(|default| kind.shown(default));
        let question = Question {
            text: shortened(told),
            header: shortened(text("title").unwrap_or(name)),
            kind: match &kind {
                Kind::Text | Kind::Number | Kind::Integer => QuestionKind::Text,
                Kind::YesNo => QuestionKind::YesNo,
                Kind::One(choices) => QuestionKind::Choice {
                    options: options(choices),
                    pick: Pick::One,
                },
                Kind::Several(choices) => QuestionKind::Choice {
                    options: options(choices),
                    pick: Pick::Several,
                },
            },
            placeholder: match &kind {
                Kind::Number => Some("a number".to_owned()),
                Kind::Integer => Some("a whole number".to_owned()),
                Kind::Text | Kind::YesNo | Kind::One(_) | Kind::Several(_) => None,
            },
            default: shown.clone(),
            is_optional: !required,
        };
        Some(Self {
            name: name.to_owned(),
            required,
            default: default.filter(|_| shown.is_some()).cloned(),
            question,
            kind,
        })
    }

    fn value(&self, reply: &Reply) -> Option<Value> {
        if let Kind::Several(choices) = &self.kind {
            let values = match reply {
                Reply::Chosen(labels) => {
                    labels.iter().map(|label| chosen(choices, label)).collect()
                }
                Reply::Words(words) => named(choices, words),
            };
            return values.map(Value::Array);
        }
        let reply = reply.to_string();
        let reply = reply.trim();
        match &self.kind {
            Kind::Text => Some(Value::from(reply)),
            Kind::Integer => reply.parse::<i64>().ok().map(Value::from),
            Kind::Number => {
                let number = reply.parse::<f64>().ok();
                let number = number.and_then(serde_json::Number::from_f64);
                number.map(Value::Number)
            }
            Kind::YesNo => truth(reply).map(Value::Bool),
            Kind::One(choices) | Kind::Several(choices) => chosen(choices, reply),
        }
    }
}

/// What one thing stands for that somebody picked, or typed.
fn chosen(choices: &[(String, Value)], reply: &str) -> Option<Value> {
    let found = choices
        .iter()
        .find(|(label, value)| label == reply || value.as_str() == Some(reply));
    found.map(|(_, value)| value.clone())
}

/// What words stand for that name several choices. There are commas between them and there may be some in a label, so at
/// each place the longest one counts that fits.
fn named(choices: &[(String, Value)], words: &str) -> Option<Vec<Value>> {
    let mut values = Vec::new();
    let mut rest = words.trim();
    while !rest.is_empty() {
        let names = choices.iter().flat_map(|(label, value)| {
            let names = std::iter::once(label.trim()).chain(value.as_str());
            names.map(move |name| (name, value))
        });
        let fitting = names.filter_map(|(name, value)| {
            let behind = rest.strip_prefix(name)?.trim_start();
            let behind = match behind.strip_prefix(',') {
                Some(behind) => behind.trim_start(),
                None if behind.is_empty() => behind,
                None => return None,
            };
            (!name.is_empty()).then_some((name.len(), value, behind))
        });
        let (_, value, behind) = fitting.max_by_key(|(length, ..)| *length)?;
        values.push(value.clone());
        rest = behind;
    }
    Some(values)
}

impl Kind {
    fn of(schema: &Value) -> Option<Self> {
        if let Some(choices) = choices(schema) {
            return Some(Self::One(choices?));
        }
        match schema.get("type").and_then(Value::as_str)? {
            "string" => Some(Self::Text),
            "number" => Some(Self::Number),
            "integer" => Some(Self::Integer),
            "boolean" => Some(Self::YesNo),
            "array" => Some(Self::Several(choices(schema.get("items")?)??)),
            _ => None,
        }
    }

    /// A value as a reply would say it. Nothing for one that does not fit, or that nobody could look over.
    fn shown(&self, value: &Value) -> Option<Reply> {
        let label = |choices: &[(String, Value)], value: &Value| {
            let found = choices.iter().find(|(_, known)| known == value);
            found.map(|(label, _)| label.clone())
        };
        let shown = match self {
            Self::Text => value.as_str()?.to_owned(),
            Self::Integer => value.as_i64()?.to_string(),
            Self::Number => value.as_number()?.to_string(),
            Self::YesNo => match value.as_bool()? {
                true => "Yes".to_owned(),
                false => "No".to_owned(),
            },
            Self::One(choices) => label(choices, value)?,
            Self::Several(choices) => {
                let labels = value.as_array()?.iter().map(|value| label(choices, value));
                return labels.collect::<Option<_>>().map(Reply::Chosen);
            }
        };
        (shown.chars().count() <= LONGEST_TEXT).then_some(Reply::Words(shown))
    }
}

/// Some: it is a choice. None in it: one that cannot be shown.
fn choices(schema: &Value) -> Option<Option<Vec<(String, Value)>>> {
    let list = |key: &str| schema.get(key).and_then(Value::as_array);
    let choices: Option<Vec<(String, Value)>> =
        if let Some(titled) = list("oneOf").or_else(|| list("anyOf")) {
            let choice = |choice: &Value| {
                let value = choice.get("const")?.clone();
                let title = choice.get("title").and_then(Value::as_str);
                let title = title.or(value.as_str())?.to_owned();
                Some((shortened(&title), value))
            };
            titled.iter().map(choice).collect()
        } else {
            let values = list("enum")?;
            let names = list("enumNames");
            let choice = |(place, value): (usize, &Value)| {
                let name = names.and_then(|names| names.get(place)?.as_str());
                let label = name.or(value.as_str())?.to_owned();
                Some((shortened(&label), value.clone()))
            };
            values.iter().enumerate().map(choice).collect()
        };
    Some(choices.filter(|choices| !choices.is_empty() && choices.len() <= MOST_CHOICES))
}

fn truth(reply: &str) -> Option<bool> {
    match reply.to_lowercase().as_str() {
        "yes" | "y" | "true" => Some(true),
        "no" | "n" | "false" => Some(false),
        _ => None,
    }
}

fn shortened(text: &str) -> String {
    text.chars().take(LONGEST_TEXT).collect()
}
