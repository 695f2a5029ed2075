use serde_json::json;

use super::json::object_in;

#[test]
fn the_object_is_found_whatever_is_around_it() {
    let table = [
        r#"{"a":1}"#,
        "```json\n{\"a\":1}\n```",
        "Sure, {as you wish}: {\"a\": 1} That is all {really}.",
        "\n\n  {\"a\":1}{\"a\":2}",
    ];
    for text in table {
        let found = object_in(text).unwrap();
        assert_eq!(json!(found), json!({ "a": 1 }), "{text}");
    }
}

#[test]
fn what_holds_no_object_holds_none() {
    let many = "{".repeat(100_000);
    for text in ["", "no", "[1, 2]", "{\"a\":", "{a}", many.as_str()] {
        assert_eq!(object_in(text), None);
    }
}
