use serde_json::json;

use super::{editor, loaded};

#[test]
fn options_and_settings_reach_the_server_as_they_are() {
    let options = json!({"companion": {"enabled": false}, "of a later version": [1, null, "ä"]});
    let settings = json!({"pollux": {"deep": {"er": true}}});
    let zed = editor().with_settings(json!({
        "initialization_options": options,
        "settings": settings,
    }));
    let mut extension = loaded(zed);
    let passed = extension
        .initialization_options()
        .unwrap()
        .unwrap()
        .unwrap();
    assert_eq!(
        serde_json::from_str::<serde_json::Value>(&passed).unwrap(),
        options
    );
    let passed = extension
        .workspace_configuration()
        .unwrap()
        .unwrap()
        .unwrap();
    assert_eq!(
        serde_json::from_str::<serde_json::Value>(&passed).unwrap(),
        settings
    );
}

#[test]
fn where_nothing_is_set_nothing_is_made_up() {
    let mut extension = loaded(editor());
    assert_eq!(extension.initialization_options().unwrap(), Ok(None));
    assert_eq!(extension.workspace_configuration().unwrap(), Ok(None));
}
