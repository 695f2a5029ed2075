use pollux_model::{Content, FunctionResponse, Part, TokenEstimate};
use serde_json::{Map, Value};
use tracing::warn;

use super::excerpt::{excerpt, file_name_part, is_too_long};
use crate::Scratch;

/// Tokens of tool outputs that stay as they are, the newest first.
const BUDGET: u64 = 50_000;

/// Cuts the outputs that are over the budget, from the oldest on. Each is saved first; one that cannot be saved
/// stays.
pub(super) async fn truncate(
    contents: &[Content],
    scratch: Option<&dyn Scratch>,
    saved: &mut u64,
) -> Vec<Content> {
    let mut contents = contents.to_vec();
    let Some(scratch) = scratch else {
        return contents;
    };
    let mut spent = 0;
    let parts = contents
        .iter_mut()
        .rev()
        .flat_map(|content| content.parts.iter_mut().rev());
    for part in parts {
        let Part::FunctionResponse(response) = part else {
            continue;
        };
        let output = output_of(response);
        let tokens = TokenEstimate::of_text(&output).tokens();
        if spent + tokens > BUDGET
            && is_too_long(&output)
            && let Some(cut) = cut(response, &output, scratch, saved).await
        {
            spent += TokenEstimate::of_text(&cut).tokens();
            let output = ("output".to_owned(), Value::String(cut));
            response.response = Map::from_iter([output]);
            continue;
        }
        spent += tokens;
    }
    contents
}

async fn cut(
    response: &FunctionResponse,
    output: &str,
    scratch: &dyn Scratch,
    saved: &mut u64,
) -> Option<String> {
    *saved += 1;
    let name = format!(
        "tool-outputs/{}_{saved}.txt",
        file_name_part(&response.name)
    );
    match scratch.write(&name, output).await {
        Ok(file) => excerpt(output, &file),
        Err(error) => {
            warn!(%error, name, "a long output cannot be saved, so it stays");
            None
        }
    }
}

fn output_of(response: &FunctionResponse) -> String {
    let text = |key| response.response.get(key).and_then(Value::as_str);
    match text("output").or_else(|| text("content")) {
        Some(output) => output.to_owned(),
        None => serde_json::to_string_pretty(&response.response).unwrap_or_default(),
    }
}
