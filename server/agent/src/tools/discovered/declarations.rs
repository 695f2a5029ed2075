use std::collections::BTreeSet;

use pollux_model::ToolDeclaration;
use serde_json::{Value, json};

/// The declarations in what a discovery command printed: an array of them, or of objects that hold arrays of them.
/// What has no name is passed over, and so is a name that was there before.
pub(super) fn parse(printed: &str) -> Result<Vec<ToolDeclaration>, String> {
    let printed: Value =
        serde_json::from_str(printed.trim()).map_err(|error| format!("it is not JSON: {error}"))?;
    let Value::Array(entries) = printed else {
        return Err("it is not an array".to_owned());
    };
    let mut names = BTreeSet::new();
    let mut found = Vec::new();
    for entry in &entries {
        let held = ["function_declarations", "functionDeclarations"]
            .iter()
            .find_map(|key| entry.get(key)?.as_array());
        let declared = match held {
            Some(declared) => declared.as_slice(),
            None => std::slice::from_ref(entry),
        };
        let declared = declared.iter().filter_map(declaration);
        found.extend(declared.filter(|one| names.insert(one.name.clone())));
    }
    Ok(found)
}

/// Under the program's own name for it.
fn declaration(value: &Value) -> Option<ToolDeclaration> {
    let name = value
        .get("name")?
        .as_str()
        .filter(|name| !name.is_empty())?;
    let description = value.get("description").and_then(Value::as_str);
    let schema = ["parametersJsonSchema", "parameters"]
        .iter()
        .find_map(|key| value.get(key).filter(|schema| schema.is_object()));
    Some(ToolDeclaration {
        name: name.to_owned(),
        description: description.unwrap_or_default().to_owned(),
        parameters: schema.cloned().unwrap_or_else(|| json!({})),
    })
}
