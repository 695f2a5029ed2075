//! A request as a person reads it: everything that would be sent, nothing else.

use pollux_model::{Part, Request, Role};
use serde_json::Value;

/// Writes a request out. Texts are exact; of inline data the type and the size are shown.
pub fn render(request: &Request) -> String {
    let mut page = String::new();
    if let Some(system) = &request.system_instruction {
        section(
            &mut page,
            &format!("system instruction, {} bytes", system.len()),
            system,
        );
    }
    for (index, content) in request.contents.iter().enumerate() {
        let role = match content.role {
            Role::User => "user",
            Role::Model => "model",
        };
        let parts: Vec<String> = content.parts.iter().map(part).collect();
        let body = parts.concat();
        let bytes: usize = content.parts.iter().map(size).sum();
        let title = format!("message {}, {role}, {bytes} bytes", index + 1);
        section(&mut page, &title, &body);
    }
    if !request.tools.is_empty() {
        let tools: Vec<String> = request
            .tools
            .iter()
            .map(|tool| {
                let (name, description) = (&tool.name, &tool.description);
                format!("{name}: {description}\n{}", tool.parameters)
            })
            .collect();
        let body = tools.join("\n");
        let title = format!("tools: {}, {} bytes", request.tools.len(), body.len());
        section(&mut page, &title, &body);
    }
    if !request.generation.is_empty() {
        let generation = Value::Object(request.generation.clone());
        section(&mut page, "generation", &generation.to_string());
    }
    page
}

fn section(page: &mut String, title: &str, body: &str) {
    page.push_str(&format!("=== {title} ===\n{body}\n\n"));
}

/// What a part weighs in a request, not on this page.
fn size(sent: &Part) -> usize {
    match sent {
        Part::InlineData(data) => data.data.len(),
        other => part(other).len(),
    }
}

fn part(part: &Part) -> String {
    match part {
        Part::Text(text) => text.clone(),
        Part::SignedText(signed) => signed.text.clone(),
        Part::Thought(thought) => {
            format!("[thought] {}: {}\n", thought.subject, thought.description)
        }
        Part::FunctionCall(call) => {
            let args = Value::Object(call.args.clone());
            format!("[call {} {}] {args}\n", call.id, call.name)
        }
        Part::FunctionResponse(response) => {
            let value = Value::Object(response.response.clone());
            format!("[response {} {}] {value}\n", response.id, response.name)
        }
        Part::InlineData(data) => {
            format!(
                "[{}, {} characters of Base64]\n",
                data.mime_type,
                data.data.len()
            )
        }
    }
}
