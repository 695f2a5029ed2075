//! What a view shows of a session that goes on: its history, told as events.

use std::sync::Arc;
use std::time::Duration;

use pollux_agent::ToolSet;
use pollux_agent::api::{Event, ToolOutcome, ToolReport, TurnId, TurnOutcome};
use pollux_model::{Content, Part, Role};

/// `opened` comes first, and then what was said.
pub(super) fn events(
    opened: Event,
    history: &[Content],
    model: &str,
    tools: &ToolSet,
) -> Vec<Event> {
    let mut past = Past {
        events: vec![opened],
        turns: 0,
        open: false,
    };
    for content in history {
        // What was attached to a prompt stands behind it, in the same message.
        let mut is_said = false;
        for part in &content.parts {
            match (content.role, part) {
                (Role::User, Part::Text(_)) if is_said => {}
                (Role::User, Part::Text(text)) => {
                    is_said = true;
                    past.prompt(text, model);
                }
                (Role::Model, Part::Text(text)) => {
                    past.events.push(Event::TextReceived(text.clone()));
                }
                (_, Part::SignedText(signed)) => {
                    past.events.push(Event::TextReceived(signed.text.clone()));
                }
                (_, Part::Thought(thought)) => {
                    past.events.push(Event::ThoughtReceived(thought.clone()));
                }
                (_, Part::FunctionCall(call)) => {
                    past.events.push(Event::ToolStarted {
                        call: call.clone(),
                        title: tools.title(call),
                    });
                }
                (_, Part::FunctionResponse(response)) => past.events.push(Event::ToolEnded {
                    call: response.id.clone(),
                    outcome: outcome(&response.response),
                    report: Arc::new(ToolReport::new(response, Duration::ZERO)),
                }),
                (_, Part::InlineData(_)) => {}
            }
        }
    }
    past.end();
    past.events
}

struct Past {
    events: Vec<Event>,
    turns: u64,
    open: bool,
}

impl Past {
    fn prompt(&mut self, text: &str, model: &str) {
        self.end();
        self.turns += 1;
        self.open = true;
        self.events.push(Event::TurnStarted {
            turn: TurnId(self.turns),
            prompt: text.to_owned(),
            model: model.to_owned(),
            attachments: Vec::new(),
        });
    }

    fn end(&mut self) {
        if self.open {
            self.open = false;
            self.events.push(Event::TurnEnded {
                turn: TurnId(self.turns),
                outcome: TurnOutcome::Completed,
            });
        }
    }
}

fn outcome(response: &serde_json::Map<String, serde_json::Value>) -> ToolOutcome {
    let text = |key: &str| response.get(key).and_then(|value| value.as_str());
    match text("error") {
        Some(message) => ToolOutcome::Failed {
            error_type: "unknown",
            message: message.to_owned(),
        },
        None => ToolOutcome::Succeeded {
            summary: String::new(),
        },
    }
}
