use super::*;

#[test]
fn a_call_of_a_sub_agent_names_the_call_that_began_it() {
    let call = |id: &str, name: &str| FunctionCall {
        id: CallId::new(id),
        name: name.to_owned(),
        args: serde_json::Map::new(),
        signature: None,
    };
    let agent = call("a", "invoke_agent");
    let told = |call: &FunctionCall, parent| {
        serde_json::to_value(started(call, "does it", parent)).unwrap()
    };
    let outer = told(&agent, None);
    assert_eq!(outer["activity"], "agent");
    assert_eq!(outer.get("parent"), None);
    let inner = told(&call("b", "read_file"), Some(&agent.id));
    assert_eq!(inner["activity"], "read");
    assert_eq!(inner["parent"], "a");
}

#[test]
fn a_short_output_is_shown_whole() {
    assert_eq!(both_ends("fine\n"), "fine\n");
    assert_eq!(beginning("{}".to_owned()), "{}");
}

#[test]
fn a_long_output_keeps_both_ends_and_is_cut_between_characters() {
    let text = format!("begin{}end", "ä".repeat(100_000));
    let shown = both_ends(&text);
    assert!(shown.len() < LONGEST + 100, "{}", shown.len());
    assert!(shown.starts_with("begin") && shown.ends_with("end"));
    assert!(shown.contains("bytes left out"));
    assert!(beginning(text).len() <= LONGEST + 3);
}
