use super::conversation;

#[test]
fn every_third_turn_reads_a_file_first() {
    let script = conversation(6, "a.rs", &["x".to_owned()]);
    let replies = script["replies"].as_array().unwrap();
    let calls: Vec<bool> = replies
        .iter()
        .map(|reply| reply["steps"][0].get("call").is_some())
        .collect();
    assert_eq!(
        calls,
        [false, false, true, false, false, false, true, false]
    );
}
