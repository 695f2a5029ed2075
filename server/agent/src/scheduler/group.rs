use pollux_model::FunctionCall;

use crate::tools::waits_for_previous;

/// The calls of one answer in the order in which they run, by their places: those of a group run together.
pub(crate) fn groups(calls: &[FunctionCall]) -> Vec<Vec<usize>> {
    // The topic is for the person, who wants it before the rest.
    let is_topic = |place: &usize| calls.get(*place).is_some_and(is_topic);
    let (topics, others): (Vec<usize>, Vec<usize>) = (0..calls.len()).partition(is_topic);
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut joins = false;
    for place in topics.into_iter().chain(others) {
        let parallel = calls.get(place).is_some_and(is_parallel);
        match groups.last_mut() {
            Some(group) if joins && parallel => group.push(place),
            _ => groups.push(vec![place]),
        }
        joins = parallel;
    }
    groups
}

fn is_topic(call: &FunctionCall) -> bool {
    call.name == "update_topic"
}

/// Edits go one after the other: each is computed from the text that the one before it left.
fn is_parallel(call: &FunctionCall) -> bool {
    let is_alone = matches!(
        call.name.as_str(),
        "update_topic" | "replace" | "write_file"
    );
    !is_alone && !waits_for_previous(&call.args)
}
