use std::path::PathBuf;

use expect_test::expect;
use pollux_model::InlineData;
use serde_json::json;

use super::*;
use crate::prompt::{CalendarDate, render};

fn request(memory: &MemoryTexts, editor: Option<&str>) -> Request {
    let session = SessionFacts {
        date: CalendarDate::of_local_seconds(0),
        operating_system: "linux".to_owned(),
        folders: vec![PathBuf::from("/p")],
        temporary_folder: PathBuf::from("/t"),
        trees: Vec::new(),
    };
    let assembled = assemble(Material {
        system: &SystemState::default(),
        switches: &Switches::default(),
        body: SystemBody::Replaced("Be brief."),
        session: &session,
        memory,
        servers: &[],
        editor: editor.map(str::to_owned),
        prompt: vec![
            Part::Text("Look: ".to_owned()),
            Part::InlineData(InlineData {
                mime_type: "image/png".to_owned(),
                data: "iVBO".to_owned(),
            }),
        ],
    });
    let history = vec![
        Content::prompt("hi"),
        Content {
            role: Role::Model,
            parts: vec![Part::Text("hello".to_owned())],
        },
    ];
    let tool = ToolDeclaration {
        name: "read_file".to_owned(),
        description: "Reads.".to_owned(),
        parameters: json!({ "type": "object" }),
    };
    let generation = json!({ "temperature": 1 }).as_object().unwrap().clone();
    assembled.into_request(history, vec![tool], generation)
}

#[test]
fn the_rendered_request_is_what_would_be_sent() {
    let memory = MemoryTexts {
        global: "G".to_owned(),
        project: "P".to_owned(),
        ..MemoryTexts::default()
    };
    expect![[r#"
        === system instruction, 119 bytes ===
        Be brief.

        # What the person wrote down for you
        <loaded_context>
        <global_context>
        G
        </global_context>
        </loaded_context>

        === message 1, user, 259 bytes ===
        <session_context>
        Facts about this session; they need no answer.
        Date: Thursday, January 1, 1970
        Operating system: linux
        Temporary folder: /t
        Workspace folders:
        - /p
        </session_context>

        <loaded_context>
        <project_context>
        P
        </project_context>
        </loaded_context>

        === message 2, user, 2 bytes ===
        hi

        === message 3, model, 5 bytes ===
        hello

        === message 4, user, 6 bytes ===
        editor

        === message 5, user, 10 bytes ===
        Look: [image/png, 4 characters of Base64]


        === tools: 1, 35 bytes ===
        read_file: Reads.
        {"type":"object"}

        === generation ===
        {"temperature":1}

    "#]]
    .assert_eq(&render(&request(&memory, Some("editor"))));
}

#[test]
fn the_same_material_gives_the_same_bytes() {
    let memory = MemoryTexts::default();
    assert_eq!(request(&memory, None), request(&memory, None));
    assert_eq!(request(&memory, None).contents.len(), 4);
}

#[test]
fn the_first_message_keeps_its_cap() {
    let memory = MemoryTexts {
        project: "ä".repeat(MAX_CONTEXT_BYTES),
        ..MemoryTexts::default()
    };
    let request = request(&memory, None);
    let Part::Text(context) = &request.contents[0].parts[0] else {
        panic!("not a text");
    };
    assert!(context.len() <= MAX_CONTEXT_BYTES);
    assert!(context.ends_with("[The context was cut at its size limit.]"));
}
