use super::{Replacement, replaced};

fn parts(parts: &[(&str, &str)]) -> Vec<Replacement> {
    let part = |(old, new): &(&str, &str)| Replacement {
        old: (*old).to_owned(),
        new: (*new).to_owned(),
    };
    parts.iter().map(part).collect()
}

#[test]
fn each_part_is_looked_for_in_what_the_ones_before_have_left() {
    let text = replaced("a\nb\n".to_owned(), &parts(&[("a", "b"), ("b\nb", "c")]));
    assert_eq!(text.unwrap(), "c\n");
}

#[test]
fn a_part_with_lf_is_found_in_a_file_with_crlf() {
    let text = replaced("a\r\nb\r\nc\r\n".to_owned(), &parts(&[("a\nb", "x\ny")]));
    assert_eq!(text.unwrap(), "x\r\ny\r\nc\r\n");
}

#[test]
fn what_is_not_there_exactly_once_is_refused() {
    for old in ["x", "a", ""] {
        assert!(
            replaced("aa".to_owned(), &parts(&[(old, "")])).is_err(),
            "{old}"
        );
    }
}
