use expect_test::expect;
use futures_util::FutureExt as _;
use pollux_model::{CallId, Role};
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::testing::MemoryScratch;

fn response(name: &str, id: usize, output: &str) -> FunctionResponse {
    FunctionResponse {
        id: CallId::new(format!("Call/{id}")),
        name: name.to_owned(),
        response: Map::from_iter([("output".to_owned(), json!(output))]),
    }
}

/// A content per output, in the order given, and a last one that says nothing.
fn talk(outputs: &[(&str, usize)]) -> Vec<Content> {
    let content = |(id, (name, length)): (usize, &(&str, usize))| Content {
        role: Role::User,
        parts: vec![Part::FunctionResponse(response(
            name,
            id,
            &"x".repeat(*length),
        ))],
    };
    let mut contents: Vec<Content> = outputs.iter().enumerate().map(content).collect();
    contents.push(Content::prompt("go on"));
    contents
}

fn run(contents: &mut [Content], scratch: &MemoryScratch) -> u64 {
    let shelf = Shelf {
        scratch,
        session: Some("0a-B"),
    };
    mask(contents, shelf).now_or_never().unwrap()
}

fn masked(contents: &[Content]) -> Vec<usize> {
    let is_masked = |(_, content): &(usize, &Content)| {
        content.parts.iter().any(|part| {
            matches!(part, Part::FunctionResponse(response)
                if response.response["output"].as_str().unwrap().starts_with(OPENS))
        })
    };
    let places = contents.iter().enumerate().filter(is_masked);
    places.map(|(place, _)| place).collect()
}

#[test]
fn the_newest_fifty_thousand_tokens_are_left_alone() {
    // 40,000 characters are 10,000 tokens and a few.
    let scratch = MemoryScratch::default();
    let mut contents = talk(&[("read_file", 40_000); 9]);
    let saved = run(&mut contents, &scratch);
    assert_eq!(
        masked(&contents),
        [0, 1, 2, 3, 4],
        "with the one that crosses the line"
    );
    assert!((49_000..50_100).contains(&saved), "{saved}");
    assert_eq!(run(&mut contents, &scratch), 0, "nothing is masked twice");
}

#[test]
fn less_than_thirty_thousand_tokens_are_not_worth_it() {
    let scratch = MemoryScratch::default();
    for (count, expected) in [(6, 0), (7, 3)] {
        let mut contents = talk(&vec![("read_file", 40_000); count]);
        run(&mut contents, &scratch);
        // Seven: four are protected, for the fifth crosses the line.
        assert_eq!(masked(&contents).len(), expected, "{count}");
    }
}

#[test]
fn some_tools_and_the_last_content_are_exempt() {
    let scratch = MemoryScratch::default();
    for name in EXEMPT {
        let mut contents = talk(&[(name, 400_000), (name, 400_000)]);
        assert_eq!(run(&mut contents, &scratch), 0, "{name}");
    }
    let mut contents = talk(&[("read_file", 400_000), ("read_file", 4_000_000)]);
    contents.pop();
    run(&mut contents, &scratch);
    assert_eq!(masked(&contents), [0]);
}

#[test]
fn what_is_masked_says_where_it_is() {
    let scratch = MemoryScratch::default();
    let mut contents = talk(&[("read_file", 400_000), ("read_file", 400_000)]);
    run(&mut contents, &scratch);
    let Part::FunctionResponse(response) = &contents[0].parts[0] else {
        panic!("{contents:?}");
    };
    let files = scratch.sizes();
    let name = &files[0].0;
    let shown = response.response["output"].as_str().unwrap();
    let shown = shown
        .replace(name, "<name>")
        .replace(&"x".repeat(200), "<200>");
    expect![[r#"
        <tool_output_masked>
        {
          "output": "<200>xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
        ... [TRUNCATED] ...
        <200>xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
        }

        Output too large. Full output available at: /scratch/<name>
        </tool_output_masked>"#]]
    .assert_eq(&shown);
    let (start, random) = name.rsplit_once('_').unwrap();
    assert_eq!(start, "tool-outputs/session-0a-B/read_file_call_0");
    assert_eq!(random.len(), "abcdef.txt".len());
    assert_eq!(files[0].1, 400_000 + "{\n  \"output\": \"\"\n}".len());
}

#[test]
fn what_a_command_printed_is_cut_and_how_it_ended_is_not() {
    let lines =
        |count: usize| -> String { (1..=count).map(|line| format!("line {line}\n")).collect() };
    let output = format!("Output: {}Error: (none)\nExit Code: 2\n", lines(40));
    let shown = preview::preview(&response("run_shell_command", 1, &output), "");
    expect![[r#"
        Output: line 1
        line 2
        line 3
        line 4
        line 5
        line 6
        line 7
        line 8
        line 9
        line 10

        ... [20 lines omitted] ...

        line 31
        line 32
        line 33
        line 34
        line 35
        line 36
        line 37
        line 38
        line 39
        line 40
        Error: (none)
        Exit Code: 2"#]]
    .assert_eq(&shown);
    let short = preview::preview(&response("run_shell_command", 1, &lines(3)), "");
    assert_eq!(short, lines(3));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn masking_never_adds_tokens_never_drops_a_response_and_leaves_the_newest(
        lengths in prop::collection::vec(0..150_000_usize, 0..12),
    ) {
        let scratch = MemoryScratch::default();
        let outputs: Vec<(&str, usize)> = lengths.iter().map(|length| ("glob", *length)).collect();
        let before = talk(&outputs);
        let mut after = before.clone();
        let saved = run(&mut after, &scratch);
        let tokens = |contents: &[Content]| TokenEstimate::of_contents(contents).tokens();
        prop_assert!(tokens(&before) - tokens(&after) >= saved);
        prop_assert_eq!(saved == 0, before == after);
        prop_assert_eq!(before.last(), after.last());
        for (before, after) in before.iter().zip(&after) {
            prop_assert_eq!(before.parts.len(), after.parts.len());
            if let (Part::FunctionResponse(before), Part::FunctionResponse(after)) =
                (&before.parts[0], &after.parts[0])
            {
                prop_assert_eq!((&before.id, &before.name), (&after.id, &after.name));
            }
        }
        prop_assert_eq!(masked(&after).len(), scratch.sizes().len());
    }
}
