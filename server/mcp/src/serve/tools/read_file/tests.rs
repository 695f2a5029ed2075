use pollux_text::lines;
use proptest::prelude::*;

use super::excerpt;

#[test]
fn a_line_that_is_too_long_by_itself_is_cut_between_characters() {
    assert_eq!(excerpt(["ääää\n", "b\n"].iter(), 5), ("ää".to_owned(), 1));
}

proptest! {
    #[test]
    fn the_parts_of_a_file_are_the_file(text in "([a-zä]{0,6}\r?\n){0,12}[a-z]{0,6}", most in 16_usize..40) {
        let all = lines(&text);
        let (mut parts, mut at) = (String::new(), 0);
        while at < all.len() {
            let (part, told) = excerpt(all.iter().skip(at), most);
            prop_assert!(told > 0 && part.len() <= most);
            parts.push_str(&part);
            at += told;
        }
        prop_assert_eq!(parts, text);
    }
}
