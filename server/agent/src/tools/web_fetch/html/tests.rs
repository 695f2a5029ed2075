use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::*;

fn check(page: &str, expected: Expect) {
    expected.assert_eq(&text(page, Links::Dropped));
}

#[test]
fn a_page_becomes_what_a_person_would_read() {
    check(
        r#"<!DOCTYPE html><html><head><title>T</title><style>p{}</style></head>
        <body class="a > b"><!-- <p>no</p> --><h1>Title</h1>
        <p>One   <b>bold</b> word,
        &amp; an &#252;ml&auml;ut &unknown; &.</p>
        <script>if (a < b) { "</p>" }</script>
        <ul><li>first<li>second <a href="/x">link</a></ul>
        <div>a<br>b</div><div>c</div>
        <table><tr><td>1</td><td>2</td></tr><tr><th>3</th></tr></table>
        <img src=x alt=y> 1 < 2 <
        </body></html>"#,
        expect![[r#"
            Title

            One bold word, & an ümläut &unknown; &.

            * first
            * second link

            a
            b
            c

            1 2
            3

            1 < 2 <"#]],
    );
}

#[test]
fn code_keeps_its_blanks() {
    check(
        "<p>a</p><pre>\n  b\n    c</pre>d  e",
        expect![[r#"
        a


          b
            c

        d e"#]],
    );
}

#[test]
fn links_stay_where_they_are_wanted() {
    let page =
        r#"<a class=b href='/a?b=1&amp;c="2"'>one</a> <a name=x>two</a> <A HREF=/c>three</A>"#;
    expect![[r#"one [/a?b=1&c="2"] two three [/c]"#]].assert_eq(&text(page, Links::Kept));
    expect!["one two three"].assert_eq(&text(page, Links::Dropped));
}

#[test]
fn what_never_ends_takes_the_rest_along() {
    check("a<script>b", expect!["a"]);
    check("a<p class=\"b>c</p>", expect!["a"]);
    check("a<!-- b", expect!["a"]);
    check("<head><title>a</title><body>b", expect!["b"]);
}

proptest! {
    #[test]
    fn any_page_can_be_read(page in "(<[/!]?(p|a|li|pre|script|head|body|b)?|[ \n>=\"'&;#ä/-]|href|--|x|lt)*") {
        let plain = text(&page, Links::Dropped);
        prop_assert_eq!(plain.trim(), &plain);
        text(&page, Links::Kept);
    }

    #[test]
    fn text_without_markup_is_only_tidied(page in "[a-zä ]*") {
        let tidied = page.split_whitespace().collect::<Vec<_>>().join(" ");
        prop_assert_eq!(text(&page, Links::Kept), tidied);
    }
}
