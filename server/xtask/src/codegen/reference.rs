//! The reference part of `docs/protocol.md`, between two marks. What is around them is written by
//! hand and stays.

use anyhow::{Context, Result};
use pollux_lsp::protocol::{Direction, Kind, Method};

use super::shape::{Field, Presence, Shape, Type};

#[cfg(test)]
mod tests;

const BEGIN: &str = "<!-- generated: begin (cargo xtask codegen) -->\n";
const END: &str = "<!-- generated: end -->";

/// The document with its generated part replaced.
pub(super) fn insert(document: &str, reference: &str) -> Result<String> {
    let (before, rest) = document
        .split_once(BEGIN)
        .with_context(|| format!("the line `{}` is missing", BEGIN.trim_end()))?;
    let (_, after) = rest
        .split_once(END)
        .with_context(|| format!("the line `{END}` is missing"))?;
    Ok(format!("{before}{BEGIN}\n{reference}\n{END}{after}"))
}

pub(super) fn print(methods: &[Method], types: &[Type]) -> String {
    let mut out = String::from("## Methods\n");
    for method in methods {
        out.push_str(&section(method, types));
    }
    let shown = |declared: &&Type| !methods.iter().any(|method| carries(method, &declared.name));
    out.push_str("\n## Types\n");
    for declared in types.iter().filter(shown) {
        out.push_str(&format!("\n### {}\n\n", declared.name));
        out.push_str(&paragraph(&declared.docs));
        out.push_str(&table(&declared.shape));
    }
    out
}

fn carries(method: &Method, name: &str) -> bool {
    let result = match &method.kind {
        Kind::Notification => None,
        Kind::Request { result } => Some(result),
    };
    method.params == name || result.is_some_and(|result| result == name)
}

fn section(method: &Method, types: &[Type]) -> String {
    let kind = match method.kind {
        Kind::Notification => "Notification",
        Kind::Request { .. } => "Request",
    };
    let direction = match method.direction {
        Direction::ClientToServer => "client → server",
        Direction::ServerToClient => "server → client",
    };
    let mut out = format!(
        "\n### `{}`\n\n{kind}, {direction}. {}\n\n",
        method.name, method.summary
    );
    out.push_str(&payload("Parameters", &method.params, types));
    if let Kind::Request { result } = &method.kind {
        out.push('\n');
        out.push_str(&payload("Result", result, types));
    }
    out
}

fn payload(role: &str, name: &str, types: &[Type]) -> String {
    let Some(declared) = types.iter().find(|declared| declared.name == name) else {
        return format!("{role}: `{name}`.\n");
    };
    let docs = one_line(&declared.docs);
    let lead = format!("{role}: `{name}`. {docs}");
    format!("{}\n\n{}", lead.trim_end(), table(&declared.shape))
}

fn table(shape: &Shape) -> String {
    match shape {
        Shape::Object(fields) if fields.is_empty() => "No fields.\n".to_owned(),
        Shape::Object(fields) => rows("| field | type | |", fields.iter().map(field)),
        Shape::Choice(options) => rows("| one of | |", options.iter().map(option)),
        other => format!("{}\n", cell(&print_shape(other))),
    }
}

fn rows(header: &str, rows: impl Iterator<Item = String>) -> String {
    let columns = header.matches('|').count() - 1;
    let rule = format!("|{}", "---|".repeat(columns));
    let rows: String = rows.map(|row| format!("{row}\n")).collect();
    format!("{header}\n{rule}\n{rows}")
}

fn field(field: &Field) -> String {
    let mark = match field.presence {
        Presence::Required => "",
        Presence::Optional => "?",
    };
    format!(
        "| `{}{mark}` | {} | {} |",
        field.name,
        cell(&print_shape(&field.shape)),
        cell(&one_line(&field.docs))
    )
}

fn option(option: &Shape) -> String {
    let docs = match option {
        Shape::Literal { docs, .. } => one_line(docs),
        _ => String::new(),
    };
    format!("| {} | {} |", cell(&print_shape(option)), cell(&docs))
}

fn print_shape(shape: &Shape) -> String {
    match shape {
        Shape::Anything => "any".to_owned(),
        Shape::Text => "string".to_owned(),
        Shape::Integer => "integer".to_owned(),
        Shape::Number => "number".to_owned(),
        Shape::Boolean => "boolean".to_owned(),
        Shape::Null => "null".to_owned(),
        Shape::Reference(name) => format!("[{name}](#{})", name.to_lowercase()),
        Shape::Literal { value, .. } => format!("`{value}`"),
        Shape::List(item) => format!("list of {}", print_shape(item)),
        Shape::Table(value) => format!("object of {}", print_shape(value)),
        Shape::Object(fields) => {
            let fields: Vec<String> = fields
                .iter()
                .map(|field| format!("`{}`: {}", field.name, print_shape(&field.shape)))
                .collect();
            format!("object with {}", fields.join(", "))
        }
        Shape::Choice(options) => joined(options, " or "),
        Shape::Both(parts) => joined(parts, " and "),
    }
}

fn joined(shapes: &[Shape], separator: &str) -> String {
    let printed: Vec<String> = shapes.iter().map(print_shape).collect();
    printed.join(separator)
}

fn paragraph(docs: &str) -> String {
    if docs.is_empty() {
        return String::new();
    }
    format!("{}\n\n", one_line(docs))
}

fn one_line(docs: &str) -> String {
    docs.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}
