//! What a classifier gets to see of a conversation.

use pollux_model::{Content, Part, Role};

/// The part of the conversation before the prompt that is looked through.
const LOOKED_THROUGH: usize = 20;

/// The prompt, and what came before it. Editor context and the prompt are turns of one side: they belong together.
pub(super) fn split_prompt(history: &[Content]) -> (&[Content], &[Content]) {
    let is_answer = |content: &Content| content.role == Role::Model;
    let start = history
        .iter()
        .rposition(is_answer)
        .map_or(0, |place| place + 1);
    history.split_at(start)
}

/// The last turns in which nobody used a tool.
pub(super) fn talk(before: &[Content], count: usize) -> Vec<Content> {
    let window = newest(before, LOOKED_THROUGH);
    let talk: Vec<&Content> = window
        .iter()
        .filter(|content| !uses_tool(content))
        .collect();
    let skip = talk.len().saturating_sub(count);
    talk.into_iter().skip(skip).cloned().collect()
}

/// The last turns, without those of tools that they would begin with.
pub(super) fn recent(before: &[Content], count: usize) -> Vec<Content> {
    newest(before, count)
        .iter()
        .skip_while(|content| uses_tool(content))
        .cloned()
        .collect()
}

/// Whether the model was asked with results of tools and not with a person's words.
pub(super) fn answers_tools(prompt: &[Content]) -> bool {
    let is_response = |part: &Part| matches!(part, Part::FunctionResponse(_));
    let mut parts = prompt.iter().flat_map(|content| &content.parts);
    parts.any(is_response)
}

fn newest(contents: &[Content], count: usize) -> &[Content] {
    let start = contents.len().saturating_sub(count);
    contents.get(start..).unwrap_or_default()
}

fn uses_tool(content: &Content) -> bool {
    let of_tool = |part: &Part| matches!(part, Part::FunctionCall(_) | Part::FunctionResponse(_));
    content.parts.iter().any(of_tool)
}
