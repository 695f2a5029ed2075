use expect_test::expect;
use pollux_model::Support;
use proptest::prelude::*;

use super::*;

fn source(title: Option<&str>, uri: Option<&str>) -> Source {
    Source {
        title: title.map(str::to_owned),
        uri: uri.map(str::to_owned),
    }
}

fn support(end: usize, sources: &[usize]) -> Support {
    let sources = sources.to_vec();
    Support { end, sources }
}

#[test]
fn marks_stand_behind_what_they_are_about() {
    let grounding = Grounding {
        sources: vec![
            source(Some("A"), Some("https://a.example")),
            source(None, None),
        ],
        // The second segment ends inside of the ü and after the end; a source is missing.
        supports: vec![support(99, &[0, 7]), support(12, &[0, 1]), support(9, &[1])],
        pages: Vec::new(),
    };
    expect![[r#"
        It rains.[2] Kü[1][2]hl.[1]

        Sources:
        [1] A (https://a.example)
        [2] Untitled (no address)"#]]
    .assert_eq(&cited("It rains. Kühl.", &grounding));
}

#[test]
fn without_sources_nothing_is_added() {
    assert_eq!(cited("a", &Grounding::default()), "a");
}

proptest! {
    #[test]
    fn marks_change_nothing_else(text in "[aü€\n]{0,20}", ends in prop::collection::vec(0usize..80, 0..5)) {
        let grounding = Grounding {
            sources: vec![source(None, None)],
            supports: ends.into_iter().map(|end| support(end, &[0])).collect(),
            pages: Vec::new(),
        };
        let cited = cited(&text, &grounding);
        let (body, _) = cited.rsplit_once("\n\nSources:").unwrap();
        prop_assert_eq!(body.replace("[1]", ""), text);
    }
}
