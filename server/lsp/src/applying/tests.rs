use pollux_text::Range as TextRange;

use super::*;

fn edit() -> ApplyEdit {
    let at = |line, character| Position { line, character };
    ApplyEdit {
        op: EditId(1),
        uri: "file:///home/me/[id].rs".to_owned(),
        version: 4,
        edits: vec![Edit::Splice {
            range: TextRange {
                start: at(1, 0),
                end: at(2, 0),
            },
            text: "new\n".to_owned(),
        }],
        label: "Pollux: edit [id].rs".to_owned(),
    }
}

#[test]
fn an_edit_carries_its_version_where_the_client_minds_it() {
    let versioned = ClientTraits {
        versions_edits: true,
        ..ClientTraits::default()
    };
    let edits = json!([{
        "range": { "start": { "line": 1, "character": 0 }, "end": { "line": 2, "character": 0 } },
        "newText": "new\n",
    }]);
    assert_eq!(
        params(versioned, edit()),
        json!({
            "label": "Pollux: edit [id].rs",
            "edit": { "documentChanges": [{
                "textDocument": { "uri": "file:///home/me/[id].rs", "version": 4 },
                "edits": edits,
            }]},
        })
    );
    assert_eq!(
        params(ClientTraits::default(), edit()),
        json!({
            "label": "Pollux: edit [id].rs",
            "edit": { "changes": { "file:///home/me/[id].rs": edits } },
        })
    );
}
