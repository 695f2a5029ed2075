//! Prompts of servers, which are commands like those that people have written.

use std::sync::Arc;

use super::{CommandLine, CommandSource, Invocation, Outcome};
use crate::{Need, Offering, ServerPrompt, Servers};

/// The prompt that a name means. The names of others go before.
pub(super) fn find(
    offering: &Offering,
    name: &str,
    taken: &[String],
) -> Option<(Arc<ServerPrompt>, String)> {
    let prompts = offering.prompts.iter();
    let mut named = prompts.map(|prompt| (prompt, shown_name(prompt, taken)));
    let (prompt, name) = named.find(|(_, shown)| shown == name)?;
    Some((Arc::clone(prompt), name))
}

/// Where another command has the name already, the server's name goes before it.
fn shown_name(prompt: &ServerPrompt, taken: &[String]) -> String {
    match taken.contains(&prompt.name) {
        true => format!("{}.{}", prompt.server, prompt.name),
        false => prompt.name.clone(),
    }
}

/// As lines of the list of commands.
pub(super) fn lines(offering: &Offering, taken: &[String]) -> Vec<CommandLine> {
    let line = |prompt: &Arc<ServerPrompt>| {
        let arguments = prompt.arguments.iter().map(|argument| match argument.need {
            Need::Required => format!("--{}=…", argument.name),
            Need::Optional => format!("[--{}=…]", argument.name),
        });
        let arguments: Vec<String> = arguments.collect();
        CommandLine {
            name: shown_name(prompt, taken),
            description: prompt.description.clone(),
            arguments: (!arguments.is_empty()).then(|| arguments.join(" ")),
            source: CommandSource::Server,
        }
    };
    offering.prompts.iter().map(line).collect()
}

pub(super) async fn run(
    servers: &dyn Servers,
    prompt: &ServerPrompt,
    name: &str,
    invocation: &Invocation<'_>,
) -> Outcome {
    if invocation.arguments == "help" {
        return Outcome::Answer(help(prompt, name));
    }
    let typed = invocation.typed.trim_start_matches('/');
    let typed = typed.strip_prefix(name).unwrap_or(typed);
    match servers.prompt(prompt, typed.trim()).await {
        Ok(text) => Outcome::Prompt(text),
        Err(problem) => Outcome::Answer(problem),
    }
}

fn help(prompt: &ServerPrompt, name: &str) -> String {
    let mut text = format!(
        "`/{name}`, a prompt of the MCP server {}: {}\n",
        prompt.server, prompt.description
    );
    for argument in &prompt.arguments {
        let need = match argument.need {
            Need::Required => "required",
            Need::Optional => "optional",
        };
        let told = argument.description.as_deref().unwrap_or_default();
        text.push_str(&format!("- `--{}` ({need}) {told}\n", argument.name));
    }
    text
}
