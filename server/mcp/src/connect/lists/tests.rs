use proptest::prelude::*;
use serde_json::json;

use super::*;

#[test]
fn each_entry_stands_for_itself() {
    let answer = json!({ "nextCursor": "2", "tools": [
        { "name": "fine", "inputSchema": { "type": "object" }, "description": "d", "more": 1 },
        { "name": "no schema" },
        { "name": "null schema", "inputSchema": null, "annotations": { "readOnlyHint": true } },
        { "name": "odd ends", "description": 7, "annotations": "x", "outputSchema": [], "icons": 1 },
        { "name": "text schema", "inputSchema": "object" },
        { "inputSchema": {} },
        3,
    ]});
    let page = apart(answer, "tools", tool).unwrap();
    let names: Vec<&str> = page.entries.iter().map(|tool| tool.name.as_ref()).collect();
    assert_eq!(names, ["fine", "no schema", "null schema", "odd ends"]);
    assert_eq!(page.entries[0].description.as_deref(), Some("d"));
    assert!(page.entries[1].input_schema.is_empty());
    let hints = page.entries[2].annotations.clone().unwrap();
    assert_eq!(hints.read_only_hint, Some(true));
    let broken: Vec<(&str, &str)> = page
        .broken
        .iter()
        .map(|(name, reason)| (name.as_str(), reason.as_str()))
        .collect();
    assert_eq!(
        broken,
        [
            ("text schema", "its schema is no object"),
            ("(nameless)", "it has no name"),
            ("(nameless)", "it has no name"),
        ]
    );
    assert_eq!(page.next.as_deref(), Some("2"));
}

#[test]
fn what_is_no_list_is_none() {
    for answer in [json!({}), json!({ "tools": {} }), json!([]), json!(1)] {
        assert!(apart(answer, "tools", tool).is_none());
    }
}

proptest! {
    #[test]
    fn whatever_stands_in_a_list_the_good_ones_are_kept(odd in proptest::collection::vec(any_value(), 0..6)) {
        let good = json!({ "name": "good", "inputSchema": {} });
        let mut list = odd.clone();
        list.insert(list.len() / 2, good);
        let page = apart(json!({ "tools": list }), "tools", tool).unwrap();
        prop_assert_eq!(page.entries.len() + page.broken.len(), odd.len() + 1);
        prop_assert!(page.entries.iter().any(|tool| tool.name == "good"));
    }
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[a-z]{0,4}".prop_map(Value::from),
    ];
    let key = prop_oneof![
        Just("name".to_owned()),
        Just("inputSchema".to_owned()),
        Just("annotations".to_owned()),
        Just("description".to_owned()),
    ];
    leaf.prop_recursive(3, 16, 4, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            proptest::collection::vec((key.clone(), inner), 0..4)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}
