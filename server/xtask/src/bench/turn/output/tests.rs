use std::time::Duration;

use super::{Line, latencies, piece};

#[test]
fn only_the_assistant_writes_pieces_of_the_answer() {
    let assistant = r#"{"type":"message","role":"assistant","content":"hi","delta":true}"#;
    assert_eq!(piece(assistant).as_deref(), Some("hi"));
    assert_eq!(
        piece(r#"{"type":"message","role":"user","content":"hi"}"#),
        None
    );
    assert_eq!(piece(r#"{"type":"init","session_id":"x"}"#), None);
    assert_eq!(piece("not json"), None);
}

#[test]
fn merged_chunks_have_a_latency_each() {
    let line = |read, content: &str| Line {
        read: Duration::from_millis(read),
        text: format!(r#"{{"type":"message","role":"assistant","content":"{content}"}}"#),
    };
    let lines = [line(1_003, "1000.5 1002 "), line(1_010, "1009 ")];
    assert_eq!(
        latencies(&lines),
        [2_500, 1_000, 1_000].map(Duration::from_micros)
    );
}
