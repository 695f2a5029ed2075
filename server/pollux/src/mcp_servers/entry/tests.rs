use clap::Parser;
use expect_test::{Expect, expect};

use super::*;

#[derive(Parser)]
struct Typed {
    #[command(flatten)]
    entry: Entry,
}

fn check(typed: &[&str], expected: Expect) {
    let words = ["add"].iter().chain(typed);
    let said = match Typed::try_parse_from(words) {
        Ok(typed) => match typed.entry.value() {
            Ok(value) => value.to_string(),
            Err(error) => error.to_string(),
        },
        Err(error) => error.to_string().lines().next().unwrap().to_owned(),
    };
    expected.assert_eq(&said);
}

#[test]
fn what_was_typed_is_an_entry_of_the_settings() {
    check(
        &["s", "npx", "-e", "K=a=b", "--trust", "--", "-y", "pkg"],
        expect![[r#"{"command":"npx","args":["-y","pkg"],"env":{"K":"a=b"},"trust":true}"#]],
    );
    check(
        &[
            "s",
            "https://example.com/mcp",
            "-t",
            "http",
            "-H",
            "X-Team: a: b",
            "--timeout",
            "5",
        ],
        expect![[
            r#"{"url":"https://example.com/mcp","type":"http","headers":{"X-Team":"a: b"},"timeout":5}"#
        ]],
    );
    check(
        &[
            "s",
            "HTTP://127.0.0.1:1/sse",
            "--type",
            "sse",
            "--include-tools",
            "a,b",
            "--exclude-tools",
            "c",
        ],
        expect![[
            r#"{"url":"HTTP://127.0.0.1:1/sse","type":"sse","includeTools":["a","b"],"excludeTools":["c"]}"#
        ]],
    );
}

#[test]
fn what_could_never_work_is_said_before_it_is_written() {
    check(&[" ", "npx"], expect!["a server needs a name"]);
    check(&["s", " "], expect!["the name of the program is empty"]);
    check(
        &["s", "https://example.com/mcp"],
        expect![
            "https://example.com/mcp is an address and no program; say `-t http`, or `-t sse` for an older server"
        ],
    );
    check(
        &["s", "npx", "-t", "http"],
        expect!["npx is no address that begins with http:// or https://"],
    );
    check(
        &["s", "ftp://example.com", "-t", "sse"],
        expect!["ftp://example.com is no address that begins with http:// or https://"],
    );
    check(
        &["s", "npx", "-H", "A: b"],
        expect!["`--header` is for `-t http` and `-t sse`; a program has `--env`"],
    );
    check(
        &["s", "http://x", "-t", "http", "-e", "A=b"],
        expect!["`--env` is for programs; an address has `--header`"],
    );
    check(
        &["s", "http://x", "-t", "http", "more", "words"],
        expect!["an address takes no arguments: more words"],
    );
    check(&["s", "npx", "-e", "A"], expect!["`A` has no `=` in it"]);
    check(
        &["s", "npx", "-e", "=b"],
        expect!["a variable needs a name"],
    );
    check(
        &["s", "npx", "-e", "node_options=--require x"],
        expect!["a server cannot have node_options: it would load code into other programs"],
    );
    check(
        &["s", "http://x", "-t", "http", "-H", "a b: c"],
        expect!["`a b` is no name of a header"],
    );
    check(
        &["s", "npx", "--timeout", "0"],
        expect![
            "error: invalid value '0' for '--timeout <MS>': 0 is not in 1..18446744073709551615"
        ],
    );
}
