//! `update_topic`: what the model says it works on, shown to the person and kept in its own instructions.

#[cfg(test)]
mod tests;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use pollux_model::ToolDeclaration;
use serde_json::{Map, Value, json};

use super::params::Params;
use super::tool::Waiting;
use super::{Desk, Tool, ToolError, ToolOutput};
use crate::api::{Event, Topic};

pub(super) const NAME: &str = "update_topic";

pub(super) struct UpdateTopic;

impl Tool for UpdateTopic {
    fn name(&self) -> &str {
        NAME
    }

    fn declaration(&self) -> ToolDeclaration {
        ToolDeclaration {
            name: NAME.to_owned(),
            description: "Tells the person what you work on. Call it when the topic changes, before anything else."
                .to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "title": { "type": "string", "description": "The new topic, in a few words." },
                    "summary": { "type": "string", "description": "What has been done so far." },
                    "strategic_intent": { "type": "string", "description": "What comes next, in one sentence." },
                },
                "required": ["strategic_intent"],
            }),
        }
    }

    fn title(&self, args: &Map<String, Value>) -> String {
        let params = Params::new(args);
        let said = params.optional_string("title");
        let said = said.or(params.optional_string("strategic_intent"));
        format!("Topic: {}", said.unwrap_or("none"))
    }

    fn check(&self, desk: &Desk<'_>) -> Result<(), ToolError> {
        match desk.params().string("strategic_intent")?.trim() {
            "" => Err(ToolError::invalid("`strategic_intent` must not be empty")),
            _ => Ok(()),
        }
    }

    fn waiting(&self) -> Waiting {
        Waiting::Mentioned
    }

    fn run<'a>(&'a self, desk: &'a Desk<'_>) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async {
            let params = desk.params();
            let filled = |name: &str| {
                let text = params.optional_string(name).map(str::trim);
                text.filter(|text| !text.is_empty()).map(str::to_owned)
            };
            let held = desk.topic.get().unwrap_or_default();
            let topic = Topic {
                // A new intent alone is a step within the same topic.
                title: filled("title").or(held.title),
                summary: filled("summary"),
                intent: params.string("strategic_intent")?.trim().to_owned(),
            };
            desk.topic.set(topic.clone());
            let output = output(&topic);
            desk.events.emit(Event::TopicChanged(topic)).await;
            Ok(output)
        }
        .boxed()
    }
}

fn output(topic: &Topic) -> ToolOutput {
    let title = topic.title.as_deref().unwrap_or("none");
    let mut text = format!("Topic: {title}\nIntent: {}", topic.intent);
    if let Some(summary) = &topic.summary {
        text.push_str(&format!("\nSummary: {summary}"));
    }
    ToolOutput::text(text, topic.intent.clone())
}
