use pollux_agent::ServerTool;

use super::*;

fn prompt(server: &str) -> Arc<ServerPrompt> {
    Arc::new(ServerPrompt {
        name: "x".to_owned(),
        server: server.to_owned(),
        prompt: "x".to_owned(),
        description: String::new(),
        arguments: Vec::new(),
    })
}

fn tool(server: &str, name: &str) -> Arc<ServerTool> {
    Arc::new(ServerTool {
        name: name.to_owned(),
        server: server.to_owned(),
        tool: "t".to_owned(),
        description: String::new(),
        parameters: serde_json::Value::Null,
        annotations: serde_json::Map::new(),
    })
}

fn view(server: &str) -> View {
    View {
        catalogue: Catalogue {
            prompts: vec![prompt(server)],
            tools: vec![tool(server, "mcp_same")],
            ..Catalogue::default()
        },
        ..View::of(ServerStanding::Connected)
    }
}

#[test]
fn mcp_client_14_the_second_prompt_of_a_name_says_whose_it_is() {
    let board = Board::new();
    board.seat("serverB", view("serverB"));
    board.seat("serverA", view("serverA"));
    let offering = board.offering();
    let names: Vec<&str> = offering
        .prompts
        .iter()
        .map(|prompt| prompt.name.as_str())
        .collect();
    assert_eq!(names, ["x", "serverB_x"]);
}

#[test]
fn two_tools_of_one_name_are_one_and_the_other_is_told_of() {
    let board = Board::new();
    board.seat("a", view("a"));
    board.seat("b", view("b"));
    let offering = board.offering();
    assert_eq!(offering.tools.len(), 1);
    assert_eq!(offering.tools[0].server, "a");
    let left_out = &offering.states[1].left_out;
    assert_eq!(left_out.len(), 1, "{left_out:?}");
}

#[test]
fn whoever_has_lost_the_seat_is_not_heard() {
    let board = Board::new();
    let old = board.seat("a", View::of(ServerStanding::Connecting));
    let new = board.seat("a", View::of(ServerStanding::Connecting));
    board.publish("a", old, view("a"));
    assert!(board.offering().tools.is_empty());
    board.publish("a", new, view("a"));
    assert_eq!(board.offering().tools.len(), 1);
    board.remove("a");
    board.publish("a", new, view("a"));
    assert!(board.offering().states.is_empty());
}

#[test]
fn the_offering_is_the_same_until_something_changes() {
    let board = Board::new();
    board.seat("a", view("a"));
    assert!(Arc::ptr_eq(&board.offering(), &board.offering()));
}
