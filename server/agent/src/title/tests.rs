use super::*;

#[test]
fn the_first_prompt_names_a_session_and_the_second_does_not() {
    let title = SharedTitle::new(None, 0);
    assert_eq!(
        title.by_prompt("  fix\n the loop "),
        Some("fix the loop".to_owned())
    );
    assert_eq!(title.by_prompt("and now this"), None);
    assert_eq!(title.take_unrecorded(), None);
}

#[test]
fn a_topic_overrules_the_prompt_and_the_person_overrules_the_topic() {
    let title = SharedTitle::new(None, 0);
    title.by_prompt("fix it");
    assert_eq!(title.by_topic("Retries"), Some("Retries".to_owned()));
    assert_eq!(title.by_topic("Retries"), None);
    assert_eq!(title.take_unrecorded(), Some("Retries".to_owned()));
    assert_eq!(title.by_person("Mine"), Some("Mine".to_owned()));
    assert_eq!(title.by_topic("Uploads"), None);
    assert_eq!(title.take_unrecorded(), Some("Mine".to_owned()));
    assert_eq!(title.take_unrecorded(), None);
}

#[test]
fn a_recorded_title_stays_until_the_person_changes_it() {
    let title = SharedTitle::new(Some("Old".to_owned()), 3);
    assert_eq!(title.by_prompt("fix it"), None);
    assert_eq!(title.by_topic("Retries"), None);
    assert_eq!(title.by_person(" \n"), None);
    assert_eq!(title.by_person("New"), Some("New".to_owned()));
}

#[test]
fn a_long_title_is_cut_between_characters() {
    let title = SharedTitle::new(None, 0);
    let named = title.by_prompt(&"ä".repeat(500)).unwrap();
    assert_eq!(named.chars().count(), LONGEST);
}
