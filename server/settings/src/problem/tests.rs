use expect_test::expect;

use super::*;

#[test]
fn places_are_counted_as_editors_count_them() {
    let table = [
        ("", 0),
        ("abc", 2),
        ("a\nbc", 3),
        ("a\r\nbc", 4),
        ("a\rbc", 3),
        ("a\r\nb", 2),
        ("\u{feff}ab", 4),
        ("é😀x", 6),
        ("a\r", 2),
        ("a\n", 2),
    ];
    let places: Vec<String> = table
        .iter()
        .map(|(text, offset)| {
            let place = Place::of(text, *offset);
            format!("{text:?}@{offset} = {}:{}", place.line, place.column)
        })
        .collect();
    expect![[r#"
        ""@0 = 1:1
        "abc"@2 = 1:3
        "a\nbc"@3 = 2:2
        "a\r\nbc"@4 = 2:2
        "a\rbc"@3 = 2:2
        "a\r\nb"@2 = 1:3
        "\u{feff}ab"@4 = 1:2
        "é😀x"@6 = 1:3
        "a\r"@2 = 2:1
        "a\n"@2 = 2:1"#]]
    .assert_eq(&places.join("\n"));
}

#[test]
fn a_problem_reads_as_file_line_column_message_and_fix() {
    let path = Path::new("/home/u/.gemini/settings.json");
    let problem = Problem::error(path, "expected ',' or '}'")
        .at(Place {
            line: 3,
            column: 14,
        })
        .fixed_by("add the comma");
    expect!["/home/u/.gemini/settings.json:3:14: expected ',' or '}' (add the comma)"]
        .assert_eq(&problem.to_string());
}

#[test]
fn the_sixth_problem_of_a_file_becomes_a_number() {
    let path = Path::new("/s.json");
    let many = (1..=8)
        .map(|n| Problem::warning(path, format!("finding {n}")))
        .collect();
    let lines: Vec<String> = shorten(path, many).iter().map(|p| p.to_string()).collect();
    expect![[r#"
        /s.json: finding 1
        /s.json: finding 2
        /s.json: finding 3
        /s.json: finding 4
        /s.json: finding 5
        /s.json: and 3 more"#]]
    .assert_eq(&lines.join("\n"));
}
