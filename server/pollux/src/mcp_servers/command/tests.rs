use super::*;

#[test]
fn only_the_first_mark_parts_a_name_from_its_value() {
    let words = ["K=a=b".to_owned(), " L = ".to_owned()];
    let expected = json!({ "K": "a=b", "L": "" });
    assert_eq!(Value::Object(pairs(&words, '=').unwrap()), expected);
    assert!(pairs(&["K".to_owned()], '=').is_err());
}
