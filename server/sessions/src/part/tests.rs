use super::*;

#[test]
fn a_signed_text_comes_back_with_its_signature() {
    for text in ["so", ""] {
        let part = Part::SignedText(SignedText {
            text: text.to_owned(),
            signature: "sig==".to_owned(),
        });
        let json = to_json(&part);
        assert_eq!(json, json!({"text": text, "thoughtSignature": "sig=="}));
        assert_eq!(from_json(&json), Some(part));
    }
}
