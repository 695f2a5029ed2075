use proptest::prelude::*;

use super::*;

fn known(name: &str) -> Option<String> {
    match name {
        "A" => Some("one".to_owned()),
        "B" => Some("<$A>".to_owned()),
        "LOOP" => Some("$LOOP$LOOP".to_owned()),
        "EMPTY" => Some(String::new()),
        _ => None,
    }
}

#[test]
fn mcp_client_6_values_are_filled_as_dotenv_does() {
    let cases = [
        ("$A", "one"),
        ("${A}b", "oneb"),
        ("$MISSING", ""),
        ("${MISSING:-d}", "d"),
        ("${MISSING-d}", "d"),
        ("${EMPTY:-d}", "d"),
        ("${A:-d}", "one"),
        ("${A:+yes}", "yes"),
        ("${MISSING:+yes}", ""),
        ("${MISSING:-${A}}", "one"),
        ("$B", "<one>"),
        (r"\$A", "$A"),
        ("$1 and $", "$1 and $"),
        ("%A%", "%A%"),
        ("${A", "${A"),
        ("${A:?x}", "${A:?x}"),
        (r"C:\path", r"C:\path"),
    ];
    for (text, expected) in cases {
        assert_eq!(expanded(text, &known), expected, "{text}");
    }
}

#[test]
fn a_value_that_means_itself_comes_to_an_end() {
    let value = expanded("$LOOP", &known);
    assert!(value.len() <= LONGEST_VALUE);
}

#[test]
fn mcp_client_7_what_a_server_sees_is_what_is_handed_on_and_its_own() {
    let base: Vec<Variable> = vec![("PATH".into(), "/bin".into()), ("K".into(), "old".into())];
    let own = [
        ("K", "$PATH!"),
        ("L", "$FOO_TOKEN"),
        ("NODE_OPTIONS", "--require x"),
        ("ld_preload", "x"),
    ];
    let own = own.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let variables = server_variables(&base, &own);
    let get = |name: &str| lookup(&variables, name);
    assert_eq!(get("K").as_deref(), Some("/bin!"));
    assert_eq!(get("L").as_deref(), Some(""));
    assert_eq!(get("GEMINI_CLI").as_deref(), Some("1"));
    assert_eq!(get("NODE_OPTIONS"), None);
    assert_eq!(get("ld_preload"), None);
    assert_eq!(variables.iter().filter(|(name, _)| name == "K").count(), 1);
}

proptest! {
    #[test]
    fn whatever_is_written_comes_to_an_end_and_plain_text_stays(text in "[A-Z$\\\\{}:+\\-a é]{0,60}") {
        let value = expanded(&text, &known);
        prop_assert!(value.len() <= LONGEST_VALUE);
        if !text.contains('$') {
            prop_assert_eq!(value, text);
        }
    }
}

#[test]
fn what_is_handed_on_is_put_together_once_and_not_before_it_is_wanted() {
    let (made, count) = std::sync::mpsc::channel();
    let handed_on = HandedOn::later(move || {
        made.send(()).unwrap();
        vec![("A".into(), "one".into())]
    });
    let other = handed_on.clone();
    assert!(count.try_recv().is_err());
    assert_eq!(handed_on.variables(), other.variables());
    assert_eq!(format!("{handed_on:?}"), "HandedOn");
    assert_eq!(count.try_iter().count(), 1);
}
