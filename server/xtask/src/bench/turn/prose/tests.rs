use std::collections::HashSet;

use super::{CHUNK, Style, chunks};

#[test]
fn chunks_have_their_length_and_their_number() {
    for style in [Style::Prose, Style::Markdown] {
        let chunks = chunks(style, 5_000);
        assert_eq!(chunks.len(), 5_000);
        assert!(chunks.iter().all(|chunk| chunk.chars().count() == CHUNK));
    }
}

#[test]
fn prose_neither_repeats_nor_has_structure() {
    let text = chunks(Style::Prose, 5_000).concat();
    assert!(!text.contains(['\n', '#', '`']));
    let windows: HashSet<&[u8]> = text.as_bytes().windows(50).collect();
    assert_eq!(windows.len(), text.len() - 49);
}

#[test]
fn markdown_has_headings_lists_and_fences() {
    let text = chunks(Style::Markdown, 100).concat();
    for structure in ["\n## ", "\n- ", "\n```\n"] {
        assert!(text.contains(structure), "{structure:?}");
    }
}
