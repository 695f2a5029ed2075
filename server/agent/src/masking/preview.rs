//! The glimpse that a masked output leaves.

use pollux_model::FunctionResponse;
use serde_json::Value;

const SHELL: &str = "run_shell_command";
/// Characters from each end.
const GLIMPSE_CHARS: usize = 250;
/// Lines from each end of what a command printed.
const GLIMPSE_LINES: usize = 10;
/// How the shell tool begins the sections of its output.
const SECTIONS: [&str; 6] = [
    "Output: ",
    "Error: ",
    "Exit Code: ",
    "Signal: ",
    "Background PIDs: ",
    "Process Group PGID: ",
];

/// `content` is the response as it is saved.
pub(super) fn preview(response: &FunctionResponse, content: &str) -> String {
    match response.name.as_str() {
        SHELL => shell(response),
        _ => ends(content),
    }
}

fn ends(content: &str) -> String {
    let chars = content.chars().count();
    if chars <= 2 * GLIMPSE_CHARS {
        return content.to_owned();
    }
    let head: String = content.chars().take(GLIMPSE_CHARS).collect();
    let tail: String = content.chars().skip(chars - GLIMPSE_CHARS).collect();
    format!("{head}\n... [TRUNCATED] ...\n{tail}")
}

/// What a command printed is cut; how it ended is told whole.
fn shell(response: &FunctionResponse) -> String {
    let text = |key| response.response.get(key).and_then(Value::as_str);
    let Some(output) = text("output").or_else(|| text("stdout")) else {
        return ends(&Value::Object(response.response.clone()).to_string());
    };
    let sections = sections(output);
    if sections.iter().all(|(name, _)| name.is_empty()) {
        return lines(output);
    }
    let mut shown: Vec<String> = Vec::new();
    for (name, section) in sections {
        let section = section.trim();
        match name {
            "" if section.is_empty() => {}
            "" | "Output: " => shown.push(format!("{name}{}", lines(section))),
            _ => shown.push(format!("{name}{section}")),
        }
    }
    if let Some(error) = text("error").filter(|error| !output.contains(error)) {
        shown.push(format!("[Error: {error}]"));
    }
    shown.join("\n")
}

/// The text before the first section has no name.
fn sections(output: &str) -> Vec<(&'static str, String)> {
    let mut sections = vec![("", String::new())];
    for line in output.split_inclusive('\n') {
        let name = SECTIONS.into_iter().find(|name| line.starts_with(name));
        let rest = name.and_then(|name| line.strip_prefix(name));
        match (name, rest, sections.last_mut()) {
            (Some(name), Some(rest), _) => sections.push((name, rest.to_owned())),
            (_, _, Some((_, section))) => section.push_str(line),
            (_, _, None) => {}
        }
    }
    sections
}

fn lines(text: &str) -> String {
    let lines: Vec<&str> = text.split('\n').collect();
    let omitted = lines.len().saturating_sub(2 * GLIMPSE_LINES);
    if omitted == 0 {
        return text.to_owned();
    }
    let (head, rest) = lines.split_at(GLIMPSE_LINES);
    let (_, tail) = rest.split_at(omitted);
    format!(
        "{}\n\n... [{omitted} lines omitted] ...\n\n{}",
        head.join("\n"),
        tail.join("\n")
    )
}
