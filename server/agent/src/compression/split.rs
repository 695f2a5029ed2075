use std::io;

use pollux_model::{Content, Part, Role};

/// Of the characters, so many hundredths are summarised.
const SUMMARISED: u64 = 70;

/// Where the part to keep begins. Only before a prompt: a call and its response are never parted.
pub(super) fn split_point(contents: &[Content]) -> usize {
    let weights: Vec<u64> = contents.iter().map(weight).collect();
    let target = weights.iter().sum::<u64>() * SUMMARISED;
    let mut passed = 0;
    let mut last = 0;
    for (place, (content, weight)) in contents.iter().zip(weights).enumerate() {
        if is_prompt(content) {
            if passed * 100 >= target {
                return place;
            }
            last = place;
        }
        passed += weight;
    }
    match contents.last() {
        // Nothing is open: all of it may go.
        Some(end) if end.role == Role::Model && !end.parts.iter().any(is_call) => contents.len(),
        Some(_) | None => last,
    }
}

fn is_prompt(content: &Content) -> bool {
    let is_response = |part: &Part| matches!(part, Part::FunctionResponse(_));
    content.role == Role::User && !content.parts.iter().any(is_response)
}

fn is_call(part: &Part) -> bool {
    matches!(part, Part::FunctionCall(_))
}

/// About the length of its JSON.
fn weight(content: &Content) -> u64 {
    content.parts.iter().map(part_weight).sum::<u64>() + 30
}

fn part_weight(part: &Part) -> u64 {
    let mut counter = Counter(0);
    let written = match part {
        Part::Text(text) => serde_json::to_writer(&mut counter, text),
        Part::SignedText(signed) => {
            serde_json::to_writer(&mut counter, &[&signed.text, &signed.signature])
        }
        Part::Thought(thought) => {
            serde_json::to_writer(&mut counter, &[&thought.subject, &thought.description])
        }
        Part::FunctionCall(call) => serde_json::to_writer(&mut counter, &call.args),
        Part::FunctionResponse(response) => serde_json::to_writer(&mut counter, &response.response),
        Part::InlineData(data) => serde_json::to_writer(&mut counter, &data.data),
    };
    debug_assert!(written.is_ok(), "counting does no IO");
    counter.0 + 10
}

/// Counts characters instead of keeping them: outputs are megabytes.
struct Counter(u64);

impl io::Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let begins_char = |byte: &&u8| (**byte & 0xC0) != 0x80;
        self.0 += bytes.iter().filter(begins_char).map(|_| 1).sum::<u64>();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
