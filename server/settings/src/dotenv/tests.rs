use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::*;

fn check(text: &str, expected: Expect) {
    let found = parse(text);
    let mut rows: Vec<String> = found
        .pairs
        .iter()
        .map(|(name, value)| format!("{name}={value:?}"))
        .collect();
    rows.extend(
        found
            .oddities
            .iter()
            .map(|oddity| format!("line {}: {:?}", oddity.line, oddity.kind)),
    );
    expected.assert_eq(&rows.join("\n"));
}

#[test]
fn the_usual_lines() {
    check(
        "# comment\n\nA=1\nB = two words \nexport C=3\nD: yaml\n  E=indented\nF=\nG=a=b\nA=last\nH.x-y=dots\nexport=word\n",
        expect![[r#"
            A="last"
            B="two words"
            C="3"
            D="yaml"
            E="indented"
            F=""
            G="a=b"
            H.x-y="dots"
            export="word""#]],
    );
}

#[test]
fn comments_end_a_value_unless_it_is_quoted() {
    check(
        "A=1 # why\nB=1#why\nC='1 # kept' # why\nD=\"#\"\nE=#\n",
        expect![[r##"
            A="1"
            B="1"
            C="1 # kept"
            D="#"
            E="""##]],
    );
}

#[test]
fn quotes_and_escapes() {
    check(
        concat!(
            "A=\"line\\nbreak\\ttab\"\n",
            "B='raw\\n'\n",
            "C=`back\"tick'`\n",
            "D=\"say \\\"hi\\\"\"\n",
            "E='it\\'s'\n",
            "F=\"\"\n",
            "G=   'space around'   \n",
            "H=in\"side\"\n",
            "I='ends\\'\n",
            "J='it's {\"x\": 1}'\n",
        ),
        expect![[r#"
            A="line\nbreak\\ttab"
            B="raw\\n"
            C="back\"tick'"
            D="say \\\"hi\\\""
            E="it\\'s"
            F=""
            G="space around"
            H="in\"side\""
            I="ends\\"
            J="it's {\"x\": 1}""#]],
    );
}

#[test]
fn quoted_values_may_span_lines_and_lines_are_still_counted() {
    check(
        "KEY=\"-----BEGIN\r\nabc\r\n-----END\"\r\nnonsense here\r\nB='x\ny' # c\nagain nonsense\rC=1",
        expect![[r#"
            KEY="-----BEGIN\nabc\n-----END"
            B="x\ny"
            C="1"
            line 4: NotAnAssignment
            line 7: NotAnAssignment"#]],
    );
}

#[test]
fn what_is_not_understood_is_counted_and_not_quoted() {
    check(
        "s3cret\nA B=c\n=x\nK=\"open\nL=1\nM=\"closed\" then more\nN:x\n1=ok\n",
        expect![[r#"
            K="\"open"
            L="1"
            M="\"closed\" then more"
            1="ok"
            line 1: NotAnAssignment
            line 2: NotAnAssignment
            line 3: NotAnAssignment
            line 4: QuoteNeverCloses
            line 6: QuoteNeverCloses
            line 7: NotAnAssignment"#]],
    );
}

#[test]
fn a_byte_order_mark_is_no_part_of_the_first_name() {
    check("\u{feff}A=1", expect![[r#"A="1""#]]);
}

proptest! {
    #[test]
    fn arbitrary_text_never_panics(text in any::<String>()) {
        parse(&text);
    }

    #[test]
    fn near_assignments_never_panic_and_stay_inside_the_file(text in r#"[A=:"'`\\#n\n\r é]{0,60}"#) {
        let lines = 1 + text.matches(['\n', '\r']).count();
        for oddity in parse(&text).oddities {
            prop_assert!((1..=lines).contains(&oddity.line));
        }
    }

    #[test]
    fn a_quoted_value_comes_back_as_it_was(value in "[a-z #=\n\"`$]{0,20}") {
        let found = parse(&format!("A=0\nKEY='{value}' # c\nB=1"));
        prop_assert_eq!(&found.pairs[1], &("KEY".to_owned(), value));
        prop_assert_eq!(&found.pairs[2].0, "B");
    }
}
