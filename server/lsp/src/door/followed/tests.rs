use serde_json::json;

use super::*;

fn raw(value: &Value) -> Box<RawValue> {
    RawValue::from_string(value.to_string()).unwrap()
}

fn done(followed: &mut FollowedSessions, method: &str, params: Value, result: Value) {
    let request = SessionRequest::read(method, &params).unwrap();
    followed.done(request, &raw(&result));
}

fn restored(followed: &FollowedSessions) -> Value {
    serde_json::to_value(followed.restore()).unwrap()
}

#[test]
fn followed_sessions_are_restored_with_their_folder_and_the_last_cursor() {
    let mut followed = FollowedSessions::default();
    let folder = json!({ "folder": "file:///w/b" });
    done(
        &mut followed,
        method::SESSION_START,
        folder,
        json!({ "session": "one" }),
    );
    done(
        &mut followed,
        method::SESSION_FOLLOW,
        json!({ "session": "one" }),
        json!({}),
    );
    let two = json!({ "session": "two", "cursor": 7 });
    done(&mut followed, method::SESSION_FOLLOW, two, json!({}));
    followed.events(&raw(
        &json!({ "session": "one", "cursor": 12, "events": [] }),
    ));
    assert_eq!(
        restored(&followed),
        json!([
            { "session": "one", "folder": "file:///w/b", "cursor": 12 },
            { "session": "two", "folder": null, "cursor": 7 },
        ])
    );
    done(
        &mut followed,
        method::SESSION_UNFOLLOW,
        json!({ "session": "one" }),
        json!({}),
    );
    // What was still on its way is not followed again.
    followed.events(&raw(
        &json!({ "session": "one", "cursor": 13, "events": [] }),
    ));
    assert_eq!(
        restored(&followed),
        json!([{ "session": "two", "folder": null, "cursor": 7 }])
    );
}

#[test]
fn parameters_that_the_host_refuses_change_nothing() {
    assert!(SessionRequest::read(method::SESSION_FOLLOW, &json!({ "session": 1 })).is_none());
    assert!(SessionRequest::read(method::PROMPT_QUEUE, &json!({ "session": "one" })).is_none());
}
