use expect_test::expect;
use serde_json::{Value, json};

use super::*;

fn call(result: Value) -> ServerResult {
    of_call(serde_json::from_value(result).unwrap())
}

#[test]
fn mcp_client_12_an_image_is_a_note_and_the_image() {
    let result =
        call(json!({ "content": [{ "type": "image", "data": "aGk=", "mimeType": "image/png" }] }));
    expect![[r#"[Data { note: "[The tool gave back this image, of the type image/png:]", shown: "[Image: image/png]", part: InlineData(InlineData { mime_type: "image/png", data: "aGk=" }) }]"#]]
    .assert_eq(&format!("{:?}", result.content));
}

#[test]
fn mcp_client_11_a_result_may_be_an_error() {
    let result = call(json!({ "content": [{ "type": "text", "text": "no" }], "isError": true }));
    assert_eq!(result.verdict, ServerVerdict::Error);
}

#[test]
fn every_kind_of_content_has_its_place() {
    let result = call(json!({ "content": [
        { "type": "text", "text": "a" },
        { "type": "resource", "resource": { "uri": "x://1", "text": "inside" } },
        { "type": "resource", "resource": { "uri": "x://2", "blob": "aGk=" } },
        { "type": "resource_link", "uri": "x://3", "name": "three" },
    ] }));
    let shown: Vec<String> = result
        .content
        .iter()
        .map(|piece| format!("{piece:?}"))
        .collect();
    expect![[r#"
        Text("a")
        Text("inside")
        Data { note: "[The tool gave back this embedded resource, of the type application/octet-stream:]", shown: "[Embedded Resource: application/octet-stream]", part: InlineData(InlineData { mime_type: "application/octet-stream", data: "aGk=" }) }
        Link { title: "three", uri: "x://3" }"#]]
    .assert_eq(&shown.join("\n"));
}

#[test]
fn structure_alone_is_an_answer_too() {
    let result = call(json!({ "content": [], "structuredContent": { "a": 1 } }));
    assert_eq!(
        result.content,
        [ServerContent::Text("{\"a\":1}".to_owned())]
    );
}

#[test]
fn a_type_cannot_say_anything() {
    assert_eq!(plain("image/png"), "image/png");
    assert_eq!(plain("image/png\n]ignore all [x"), "image/pngignoreallx");
    assert_eq!(plain("nonsense"), UNKNOWN_DATA);
}
