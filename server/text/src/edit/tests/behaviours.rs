//! What the twin's `replace` does, numbered as in the list it was taken from.

use super::*;

#[test]
fn behaviour_1_several_places_are_an_error_unless_all_are_meant() {
    let error = replace("a\nb\na\n", &one("a", "c")).unwrap_err();
    assert_eq!(
        error,
        EditError::SeveralOccurrences {
            count: 2,
            lines: vec![1..=1, 3..=3],
        }
    );
    let replaced = replace("a\nb\na\n", &all("a", "c")).unwrap();
    assert_eq!((replaced.count, replaced.text.as_str()), (2, "c\nb\nc\n"));
}

#[test]
fn behaviour_1_several_forgiving_matches_are_an_error_as_well() {
    let error = replace("  a(\n  b\n    a(\n b\n", &one("a(\nb", "c")).unwrap_err();
    assert_eq!(
        error,
        EditError::SeveralOccurrences {
            count: 2,
            lines: vec![1..=2, 3..=4],
        }
    );
}

#[test]
fn behaviour_2_blanks_at_the_ends_of_lines_do_not_matter_and_indentation_is_carried_over() {
    assert_eq!(
        edited("    foo()\n    bar()\n", "foo()\nbar()", "foo()\n  baz()"),
        (Strategy::Flexible, "    foo()\n      baz()\n".to_owned())
    );
}

#[test]
fn behaviour_2_lines_less_indented_than_the_first_are_put_at_its_depth() {
    assert_eq!(
        edited(
            "\t\tif a:\n\t\t\tb\n",
            "  if a:\n    b",
            "  if c:\n    d\n\n e"
        ),
        (
            Strategy::Flexible,
            "\t\tif c:\n\t\t  d\n\n\t\te\n".to_owned()
        )
    );
}

#[test]
fn behaviour_2_lines_replaced_by_nothing_go_with_their_line_feed() {
    assert_eq!(
        edited("a\n  b\n   c\nd\n", "b\nc", ""),
        (Strategy::Flexible, "a\nd\n".to_owned())
    );
}

#[test]
fn behaviour_3_blanks_and_line_ends_between_words_do_not_matter() {
    assert_eq!(
        edited(
            "if(x){return 1}",
            "if ( x ) {\n return 1 }",
            "if (y) { return 2 }"
        ),
        (Strategy::Regex, "if (y) { return 2 }".to_owned())
    );
    assert_eq!(
        edited("a\n  f( x );  // c\nb\n", "f(x);\n", "g(x);\n"),
        (Strategy::Regex, "a\n  g(x);  // c\nb\n".to_owned())
    );
    assert_eq!(
        edited("a\n  f( x );  \nb\n", "f(x);\n", ""),
        (Strategy::Regex, "a\nb\n".to_owned())
    );
}

#[test]
fn behaviour_3_words_are_found_whole() {
    // Too short for wrong letters to be forgiven.
    for (text, old) in [
        ("f( a = 12 )", "f(a = 1"),
        ("g(inx)", "g( in x"),
        ("a(b)c1", "a (b) c"),
    ] {
        let replaced = replace(text, &one(old, "g"));
        assert!(replaced.is_err(), "{replaced:?}");
    }
}

#[test]
fn behaviour_4_a_few_wrong_letters_are_forgiven_in_a_long_text() {
    let line = "let total = compute_the_sum(first, next);";
    assert_eq!(line.len(), 41);
    let text = format!("start\n    {line}\nend\n");
    let replaced = replace(
        &text,
        &one(
            "let totel = compute_the_sun(first, next);",
            "let total = 0;",
        ),
    );
    let replaced = replaced.unwrap();
    assert_eq!(replaced.strategy, Strategy::Fuzzy);
    assert_eq!(replaced.text, "start\n    let total = 0;\nend\n");
    assert_eq!(replaced.lines, [2..=2]);
}

#[test]
fn behaviour_4_a_short_text_must_be_right() {
    assert_eq!("abcdefghi".len(), 9);
    assert!(replace("abcdefghx\n", &one("abcdefghi", "new")).is_err());
    assert!(replace("abcdefghix\n", &one("abcdefghij", "new")).is_ok());
}

#[test]
fn behaviour_4_too_many_wrong_letters_are_not_forgiven() {
    let text = "0123456789 0123456789\n";
    assert!(replace(text, &one("01234x6789 0x23456789", "new")).is_ok());
    assert!(replace(text, &one("01234x6789 0x2345678x", "new")).is_err());
}

#[test]
fn behaviour_4_the_best_of_overlapping_windows_is_taken() {
    let text = "alpha beta gamma\nalpha beta gamme\n";
    let replaced = replace(text, &all("alpha beta gamm\nalpha beta gamme!", "x")).unwrap();
    assert_eq!((replaced.count, replaced.text.as_str()), (1, "x\n"));
}

#[test]
fn behaviour_5_a_file_with_crlf_keeps_it_everywhere() {
    assert_eq!(
        edited("a\r\nb\r\nc\r\n", "b\n", "x\ny\n"),
        (Strategy::Exact, "a\r\nx\r\ny\r\nc\r\n".to_owned())
    );
    assert_eq!(
        edited("  a(\r\n  b\r\nc\r\n", "a(\nb", "x\ny").1,
        "  x\r\n  y\r\nc\r\n"
    );
    assert_eq!(edited("a\r\nb", "a\r\nb", "x\r\ny").1, "x\r\ny");
}

#[test]
fn behaviour_5_lines_of_a_mixed_file_keep_their_own_endings() {
    assert_eq!(
        edited("a\r\nb\nc\rd\n", "a\nb\nc\nd\n", "A\nb\nc\nD\n").1,
        "A\r\nb\nc\rD\n"
    );
    // A new line takes the ending of the line it stands for, or of the last one that goes.
    assert_eq!(edited("a\nb\r\nc\n", "b", "x\ny").1, "a\nx\r\ny\r\nc\n");
    assert_eq!(edited("a\rb\nc", "c", "x\ny").1, "a\rb\nx\ny");
    assert_eq!(edited("a\r\nb\nc", "a", "x\ny").1, "x\r\ny\r\nb\nc");
}

#[test]
fn behaviour_5_a_carriage_return_and_a_line_feed_that_come_together_stay_two_line_ends() {
    assert_eq!(edited("a\rmark\nb\n", "mark", "").1, "a\r\r\nb\n");
    assert_eq!(edited("x\ra\nb\r\n", "a\nb", "\nb").1, "x\r\r\nb\r\n");
}

#[test]
fn behaviour_6_the_final_newline_is_neither_added_nor_removed() {
    assert_eq!(edited("a\nb", "b", "c\n").1, "a\nc");
    assert_eq!(edited("a\nb\n", "b\n", "c").1, "a\nc\n");
    assert_eq!(edited("a\r\nb\r\n", "b\n", "c").1, "a\r\nc\r\n");
    assert_eq!(edited("a\r\nb", "b", "").1, "a");
    assert_eq!(edited("a\nb\n", "b\n", "").1, "a\n");
}

#[test]
fn behaviour_7_dollar_signs_are_inserted_as_they_are() {
    assert_eq!(edited("a b", "b", "$1 $& $$").1, "a $1 $& $$");
    assert_eq!(edited("  f( a )", "f(a)", "$1 $& $$").1, "  $1 $& $$");
}

#[test]
fn behaviour_8_a_line_that_leaves_text_out_is_refused_unless_it_was_there() {
    let new = "fn a() {}\n// rest of methods ...\n";
    let error = replace("fn b() {}\n", &one("fn b() {}\n", new)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "line 2 of new_string is `// rest of methods ...`, which stands for text that was left out; send the whole \
         text"
    );
    let text = "x\n// rest of methods ...\n";
    assert!(replace(text, &one("x\n// Rest  of METHODS ....", new)).is_err());
    assert!(replace(text, &one("x\n// rest of methods ...\n", new)).is_ok());
}

#[test]
fn behaviour_8_placeholders_are_told_from_text() {
    let placeholders = [
        "// rest of code ...",
        "  (rest of method...)",
        "// (unchanged code ...)",
        "Rest  of\tMethods ......",
        "unchanged methods ... ..",
        "# rest of code ...",
        "/* unchanged code ... */",
        "<!-- rest of ... -->",
        "// rest of code …",
    ];
    for line in placeholders {
        let new = format!("a\n{line}\nb");
        let found = omission_placeholder(&new, None);
        assert_eq!(found.map(|found| found.line), Some(2), "{line}");
        assert_eq!(omission_placeholder(&new, Some(line)), None, "{line}");
    }
    let text = [
        "// rest of code",
        "the rest of code ...",
        "// rest of code ... and more",
        "f(...args)",
        "...",
        "// ...",
        "rest of the file ...",
        "x = 1 // rest of code ...",
    ];
    for line in text {
        assert_eq!(omission_placeholder(line, None), None, "{line}");
    }
}

#[test]
fn behaviour_9_an_empty_old_text_is_for_new_files() {
    let error = replace("text", &one("", "new")).unwrap_err();
    assert_eq!(error, EditError::EmptyOld);
    assert_eq!(error.error_type(), "attempt_to_create_existing_file");
}

#[test]
fn behaviour_13_a_persons_own_changes_are_counted_apart() {
    let stat = diff_stat("a\nb\nc\n", "a\nlong\nc\n", "a\nlong\nc\nmore 👍\n");
    let model = Changes {
        added_lines: 1,
        removed_lines: 1,
        added_chars: 4,
        removed_chars: 1,
    };
    let user = Changes {
        added_lines: 1,
        added_chars: 7,
        ..Changes::default()
    };
    assert_eq!(stat, DiffStat { model, user });
}

#[test]
fn a_text_that_comes_to_the_same_is_no_change() {
    assert_eq!(
        replace("a\r\nb", &one("a\nb", "a\r\nb")),
        Err(EditError::NoChange)
    );
    assert_eq!(
        replace("  a(\n", &one("a( ", "a(")),
        Err(EditError::NoChange)
    );
}

#[test]
fn a_byte_order_mark_is_not_part_of_the_first_line() {
    assert_eq!(edited("\u{feff}  a(\nb\n", "a(\nb", "c").1, "\u{feff}  c\n");
    assert_eq!(
        edited("\u{feff}a\r\nb", "b", "c\nd").1,
        "\u{feff}a\r\nc\r\nd"
    );
}

#[test]
fn a_file_written_anew_keeps_the_lines_that_stay_and_its_line_ends() {
    assert_eq!(overwrite("a\r\nb\nc\r\n", "a\nb\nx\n"), "a\r\nb\nx\r\n");
    assert_eq!(overwrite("a\r\nb\r\n", "c\nd"), "c\r\nd");
    assert_eq!(overwrite("\u{feff}a\r\n", "b\nc\n"), "\u{feff}b\r\nc\r\n");
    assert_eq!(overwrite("", "b\r\nc\n"), "b\nc\n");
    assert_eq!(overwrite("a\n", ""), "");
}

#[test]
fn escapes_become_the_characters_they_stand_for() {
    for (escaped, meant) in [
        (r"a\nb", "a\nb"),
        (r"a\\\nb", "a\nb"),
        (r"\t\r", "\t\r"),
        (r#"say \"hi\" \'x\' \`y\`"#, "say \"hi\" 'x' `y`"),
        (r"a\\b", r"a\b"),
        (r"a\b", r"a\b"),
        (r"\\", r"\"),
        ("a\\\nb", "a\nb"),
        ("plain", "plain"),
        (r"\", r"\"),
        (r"\ä", r"\ä"),
    ] {
        assert_eq!(unescape(escaped), meant, "{escaped}");
    }
}

#[test]
fn a_snippet_shows_what_changed_and_a_few_lines_around() {
    let before: String = (1..=40).map(|line| format!("line {line}\r\n")).collect();
    let after = before
        .replace("line 8\r\n", "eight\r\n")
        .replace("line 30\r\n", "");
    let middle = |range: std::ops::RangeInclusive<u32>| {
        let lines: Vec<String> = range.map(|line| format!("line {line}")).collect();
        lines.join("\n")
    };
    assert_eq!(
        snippet(&before, &after),
        format!(
            "...\n{}\neight\n{}\n...\n{}\n{}\n...",
            middle(3..=7),
            middle(9..=13),
            middle(25..=29),
            middle(31..=35)
        )
    );
    assert_eq!(snippet("", "a\nb\n"), "a\nb");
    assert_eq!(snippet("a\n", "a\n"), "...");
    assert_eq!(snippet("a\nb", "a\nb\n"), "a\nb");
}

#[test]
fn a_snippet_is_bounded() {
    let long: String = (0..10_000).map(|line| format!("{line}\n")).collect();
    let shown = snippet("", &long);
    assert_eq!(shown.lines().count(), 401);
    assert!(shown.ends_with("399\n..."));
    let shown = snippet("", &"x".repeat(100_000));
    assert_eq!(shown, format!("{}... [truncated]", "x".repeat(2000)));
}
