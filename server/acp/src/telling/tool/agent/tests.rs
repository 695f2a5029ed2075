use super::*;

#[test]
fn a_result_is_shown_without_what_was_said_to_the_model() {
    let told = |result: &str| {
        let told = "Subagent 'scout' finished.\nTermination Reason: GOAL\nResult:\n";
        in_words(super::result(&format!("{told}{result}")))
    };
    assert_eq!(told("In **a**."), "In **a**.");
    assert_eq!(told(r#"{ "response": "In **a**." }"#), "In **a**.");
    assert_eq!(
        told(r#"{ "a": "b", "c": [] }"#),
        "```json\n{ \"a\": \"b\", \"c\": [] }\n```"
    );
}

#[test]
fn of_many_steps_the_latest_are_shown() {
    let mut job = Job::of("scout: Find it");
    for number in 0..30 {
        job.begins(&CallId::new(number.to_string()), &format!("Step {number}"));
    }
    let list = job.list().unwrap();
    assert!(
        list.starts_with("- 10 calls before\n- … `Step 10`\n"),
        "{list}"
    );
    assert_eq!(list.lines().count(), 21);
}
