use pollux_agent::api::{InlineData, Part};

use super::*;

#[test]
fn a_prompt_comes_back_as_it_was_typed() {
    let range = Range {
        start: Position {
            line: 3,
            character: 0,
        },
        end: Position {
            line: 4,
            character: 7,
        },
    };
    let image = InlineData {
        mime_type: "image/png".to_owned(),
        data: "AAAA".to_owned(),
    };
    let prompt = Prompt {
        text: "caf\u{e9}\n@a.rs".to_owned(),
        attachments: [
            Attachment {
                kind: AttachmentKind::Image,
                label: "picture".to_owned(),
                path: None,
                range: None,
                content: Part::InlineData(image),
            },
            Attachment {
                kind: AttachmentKind::Text,
                label: "terminal".to_owned(),
                path: Some(PathBuf::from("/w/a.rs")),
                range: Some(range),
                content: Part::Text("output".to_owned()),
            },
        ]
        .into(),
        context: ContextChoice {
            active_file: Sending::No,
            diagnostics: Sending::Yes,
            ..ContextChoice::default()
        },
        stands_for: Some("/greet".to_owned()),
        if_unheard: IfUnheard::ToldLater,
        if_unknown: IfUnknown::Sent,
        kept: Some(KeptId(7)),
        mark: None,
    };
    assert_eq!(from_json(7, &to_json(&prompt)), prompt);
}

#[test]
fn a_line_of_another_shape_is_a_prompt_without_what_is_wrong() {
    let odd = json!({"text": 3, "attachments": [{"kind": "image"}, 4], "activeFile": "yes"});
    let Value::Object(odd) = odd else {
        panic!("an object");
    };
    let expected = Prompt {
        kept: Some(KeptId(1)),
        ..Prompt::default()
    };
    assert_eq!(from_json(1, &odd), expected);
}
