use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::*;

fn check(body: &str, expected: Expect) {
    let answer = token_answer(body.as_bytes());
    expected.assert_eq(&answer.map_or("nothing".to_owned(), |answer| answer.to_string()));
}

#[test]
fn tokens_come_as_json_or_as_a_form() {
    check(
        r#"{"access_token":"a","token_type":"bearer","expires_in":60}"#,
        expect![[r#"{"access_token":"a","token_type":"bearer","expires_in":60}"#]],
    );
    check(
        "access_token=a%20b&expires_in=3600&scope=x+y",
        expect![[
            r#"{"access_token":"a b","expires_in":3600,"scope":"x y","token_type":"Bearer"}"#
        ]],
    );
    check(
        r#"{"access_token":"a","expires_in":"60","refresh_token":null}"#,
        expect![[r#"{"access_token":"a","expires_in":60,"token_type":"Bearer"}"#]],
    );
    check(
        "error=bad_verification_code&error_description=no",
        expect![[r#"{"error":"bad_verification_code","error_description":"no"}"#]],
    );
}

#[test]
fn other_answers_are_left_as_they_are() {
    for body in ["", "[]", "null", "{}", "<html>", "a=b", "{\"access_token\""] {
        check(body, expect!["nothing"]);
    }
}

#[test]
fn a_resource_is_the_server_or_a_folder_around_it() {
    let server = Url::parse("https://s.example/a/mcp").unwrap();
    let foreign = |resource: &str| {
        let page = serde_json::json!({ "resource": resource }).to_string();
        foreign_resource(&server, page.as_bytes())
    };
    for ours in [
        "https://s.example/a/mcp",
        "https://s.example/a",
        "https://s.example/a/",
        "https://s.example/",
        "https://s.example",
    ] {
        assert_eq!(foreign(ours), None, "{ours}");
    }
    for theirs in [
        "https://evil.example/a/mcp",
        "http://s.example/a/mcp",
        "https://s.example:8443/a/mcp",
        "https://s.example/a/mc",
        "https://s.example/b",
        "https://s.example/a/mcp/more",
        "nonsense",
    ] {
        assert_eq!(foreign(theirs), Some(theirs.to_owned()), "{theirs}");
    }
    assert_eq!(foreign_resource(&server, b"<html>"), None);
    assert_eq!(foreign_resource(&server, b"{}"), None);
}

proptest! {
    #[test]
    fn no_answer_is_too_odd(body in proptest::collection::vec(any::<u8>(), 0..200)) {
        token_answer(&body);
    }

    #[test]
    fn a_token_survives_either_form(token in "[ -~]{1,40}") {
        let json = serde_json::json!({ "access_token": token }).to_string();
        let mut form = form_urlencoded::Serializer::new(String::new());
        let form = form.append_pair("access_token", &token).finish();
        for body in [json, form] {
            let answer = token_answer(body.as_bytes()).unwrap();
            prop_assert_eq!(answer.get("access_token").unwrap().as_str(), Some(token.as_str()));
        }
    }
}
