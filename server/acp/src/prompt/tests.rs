use agent_client_protocol_schema::v1::{
    BlobResourceContents, EmbeddedResource, ImageContent, ResourceLink, TextResourceContents,
};

use super::*;

fn made(blocks: Vec<ContentBlock>) -> Result<Prompt, Error> {
    prompt(blocks, Path::new("/w"), PromptMark("m".into()))
}

fn link(uri: &str) -> ContentBlock {
    ContentBlock::ResourceLink(ResourceLink::new("name", uri))
}

#[test]
fn what_is_named_stands_where_it_was_named() {
    let blocks = vec![
        "compare".into(),
        link("file:///w/src/a.rs#L3:9"),
        "with (".into(),
        link("file:///w/odd%20name.rs"),
        ") and ".into(),
        link("file:///elsewhere/b.rs#L2"),
        link("https://example.com/x"),
        link("file:///w/"),
    ];
    assert_eq!(
        made(blocks).unwrap().text,
        "compare @src/a.rs (lines 3 to 9) with (@\"odd name.rs\" ) and @/elsewhere/b.rs (line 2) https://example.com/x @. "
    );
}

#[test]
fn a_name_with_quotes_is_still_one_name() {
    let made = made(vec![link("file:///w/a%22b%20c.rs")]).unwrap();
    assert_eq!(made.text, "@a\\\"b\\ c.rs ");
}

fn given(uri: &str, mime_type: Option<&str>) -> ContentBlock {
    let text = TextResourceContents::new("text", uri).mime_type(mime_type.map(str::to_owned));
    let text = EmbeddedResourceResource::TextResourceContents(text);
    ContentBlock::Resource(EmbeddedResource::new(text))
}

#[test]
fn a_text_that_is_given_says_whether_it_is_the_whole_file() {
    let blocks = vec![
        given("file:///w/a.rs", Some("text/x-rust")),
        given("file:///w/a.rs#L3:9", None),
    ];
    let made = made(blocks).unwrap();
    let ranges: Vec<_> = made.attachments.iter().map(|sent| sent.range).collect();
    let place = |line| Position { line, character: 0 };
    let lines = Range {
        start: place(2),
        end: place(9),
    };
    assert_eq!(ranges, [None, Some(lines)]);
    assert_eq!(made.text, "`a.rs` `a.rs:3-9` ");
}

/// Toad reads every file as a text.
#[test]
fn a_picture_that_is_given_as_a_text_is_read_from_its_file() {
    let blocks = vec![
        "what is".into(),
        given("file:///w/p.png", Some("image/png")),
        given("file:///w/s.wav", Some("audio/x-wav")),
    ];
    let made = made(blocks).unwrap();
    assert_eq!(made.text, "what is @p.png @s.wav ");
    assert!(made.attachments.is_empty());
}

#[test]
fn a_text_that_is_given_is_cut_where_it_is_too_long() {
    let long = "ä".repeat(LONGEST_TEXT);
    let given = TextResourceContents::new(long, "file:///w/long.txt");
    let given = EmbeddedResourceResource::TextResourceContents(given);
    let block = ContentBlock::Resource(EmbeddedResource::new(given));
    let made = made(vec![block]).unwrap();
    assert_eq!(made.text, "`long.txt` ");
    let [attached] = &made.attachments[..] else {
        panic!("one attachment");
    };
    assert_eq!(attached.path.as_deref(), Some(Path::new("/w/long.txt")));
    let Part::Text(text) = &attached.content else {
        panic!("a text");
    };
    assert!(text.len() < LONGEST_TEXT + 500);
    assert!(text.contains("the rest is left out"));
}

#[test]
fn all_pictures_together_have_a_limit() {
    let five = STANDARD.encode(vec![0; 5 * 1024 * 1024]);
    let image = || ContentBlock::Image(ImageContent::new(five.clone(), "image/png"));
    assert!(made(vec![image(), image()]).is_ok());
    let error = made(vec![image(), image(), image()]).unwrap_err();
    assert!(error.message.contains("all together"), "{error}");
    let large = STANDARD.encode(vec![0; LARGEST_MEDIA + 1]);
    let error = made(vec![ContentBlock::Image(ImageContent::new(
        large,
        "image/png",
    ))]);
    assert!(error.unwrap_err().message.contains("larger than 10 MB"));
    let blob = BlobResourceContents::new("AAAA", "file:///w/x.bin")
        .mime_type("application/x-odd".to_owned());
    let blob = EmbeddedResourceResource::BlobResourceContents(blob);
    let error = made(vec![ContentBlock::Resource(EmbeddedResource::new(blob))]);
    assert!(error.unwrap_err().message.contains("no model takes"));
}
