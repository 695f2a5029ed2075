//! What the scripted model says, as its script files.

use serde_json::{Value, json};

#[cfg(test)]
mod tests;

/// One answer of these chunks, as often as it is asked for.
pub(super) fn answer(chunks: &[String]) -> Value {
    let mut steps: Vec<Value> = chunks
        .iter()
        .map(|chunk| json!({ "text": chunk }))
        .collect();
    steps.push(finish());
    json!({ "replies": [{ "always": true, "steps": steps }] })
}

/// Chunks that hold nothing but the time at which they were sent, so many milliseconds apart.
pub(super) fn paced(chunks: usize, apart: u64) -> Value {
    let steps = json!([{ "text": "{now} " }, { "pauseMs": apart }]);
    let repeat = json!({ "repeat": { "times": chunks, "steps": steps } });
    json!({ "replies": [{ "always": true, "steps": [repeat, finish()] }] })
}

/// Turns of text, and in every third one a file is read before.
pub(super) fn conversation(turns: usize, file: &str, chunks: &[String]) -> Value {
    let mut replies = Vec::new();
    for turn in 0..turns {
        if turn % 3 == 2 {
            let call = json!({ "name": "read_file", "args": { "file_path": file }, "id": turn.to_string() });
            replies.push(json!({ "steps": [{ "call": call }, finish()] }));
        }
        let texts = chunks.iter().map(|chunk| json!({ "text": chunk }));
        let steps: Vec<Value> = texts.chain([finish()]).collect();
        replies.push(json!({ "steps": steps }));
    }
    json!({ "replies": replies })
}

fn finish() -> Value {
    json!({ "finish": { "reason": "STOP", "usage": { "prompt": 1_000, "output": 100 } } })
}
