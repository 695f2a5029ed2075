use expect_test::expect;

use super::*;
use crate::ServerState;

fn state(server: &str, standing: ServerStanding) -> ServerState {
    ServerState {
        server: server.to_owned(),
        standing,
        instructions: None,
        left_out: Vec::new(),
    }
}

fn offering(states: Vec<ServerState>) -> Offering {
    Offering {
        states,
        ..Offering::default()
    }
}

#[test]
fn whoever_is_missing_is_named_and_whoever_is_off_on_purpose_is_not() {
    let reason = "it ended with code 1:\nno such\tfile".to_owned();
    let off = "switched off".to_owned();
    let offering = offering(vec![
        state("a", ServerStanding::Connecting),
        state("b", ServerStanding::Connected),
        state("c", ServerStanding::Failed { reason }),
        state("d", ServerStanding::Blocked { reason: off }),
        state("e", ServerStanding::NeedsAuthentication),
    ]);
    let (told, shown) = missing_servers(&offering).unwrap();
    expect![[r#"
        <system_note>
        These MCP servers are configured, but their tools are not there now:
        - a: still connecting
        - c: it ended with code 1:?no such?file
        - e: the person has to sign in
        If you need one of them, say so instead of working around it.
        </system_note>"#]]
    .assert_eq(&told);
    assert!(shown.contains("- c: it ended with code 1"), "{shown}");
    let advice = "- e: it wants you to sign in; `/mcp auth e` opens its page";
    assert!(shown.contains(advice), "{shown}");
}

#[test]
fn nothing_is_said_when_everybody_is_there() {
    let offering = offering(vec![state("b", ServerStanding::Connected)]);
    assert_eq!(missing_servers(&offering), None);
    assert_eq!(server_instructions(&offering), "");
}

#[test]
fn what_a_server_says_about_itself_is_marked_and_has_an_end() {
    let mut talking = state("b", ServerStanding::Connected);
    talking.instructions = Some("x".repeat(100_000));
    let text = server_instructions(&offering(vec![talking]));
    assert!(text.contains("--- Instructions of the MCP server b ---"));
    assert!(text.len() < 10_000, "{}", text.len());
}
