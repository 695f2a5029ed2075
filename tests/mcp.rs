//! MCP servers as tools of the agent, from the outside.

mod changed;
mod real;
mod signing_in;

use std::fs;
use std::process::Stdio;

use expect_test::expect;
use pollux_testkit::scripted_mcp;
use pollux_testkit::scripted_model::ScriptedModel;
use serde_json::{Map, Value, json};
use tokio::process::Command;

use crate::support::talk::{MODEL, Talk, calls, model, returned, says, with_model};
use crate::support::world::World;

/// A scripted server, as settings name it.
pub(crate) fn scripted(words: &[&str]) -> Value {
    let argv = scripted_mcp(words);
    json!({ "command": argv[0], "args": argv[1..] })
}

/// A world whose user has these servers.
pub(crate) fn world(servers: &Value) -> World {
    let world = World::new();
    let folder = world.home().join(".gemini");
    fs::create_dir_all(&folder).unwrap();
    let settings = json!({ "mcpServers": servers }).to_string();
    fs::write(folder.join("settings.json"), settings).unwrap();
    world
}

/// A world with a server whose tool `form` asks for more than it needs.
pub(crate) fn world_with_form() -> World {
    let mut entry = scripted(&[]);
    entry["trust"] = json!(true);
    world(&json!({ "s": entry }))
}

/// The tool got a name, one number as it stood, two of several choices and one size; two things were left out.
pub(crate) fn expect_filled_in(server: &ScriptedModel) {
    let told = returned(server);
    let wanted = r#"{"action": "accept", "content": {"a_name": "Ann", "b_count": 3, "d_many": ["x", "y, or so"], "f_size": "large"}}"#;
    assert!(told.contains(wanted), "{told}");
}

pub(crate) async fn answered(talk: &mut Talk, command: &str) -> String {
    talk.say(command).await;
    let answer = talk.coming("commandAnswered").await;
    answer["text"].as_str().unwrap().to_owned()
}

/// Asks until the server is there.
pub(crate) async fn connected(talk: &mut Talk, server: &str) {
    loop {
        let told = answered(talk, &format!("/mcp list {server}")).await;
        if told.contains(&format!("**{server}**: connected")) {
            return;
        }
        assert!(told.contains("connecting"), "{told}");
        tokio::task::yield_now().await;
    }
}

/// The tools that the model was told of, in its request of this number.
fn declared(server: &ScriptedModel, request: usize) -> Vec<String> {
    let request = server.requests()[request].json();
    let tools = request["tools"].as_array().unwrap().iter();
    let declarations = tools.flat_map(|tool| tool["functionDeclarations"].as_array().unwrap());
    declarations
        .map(|tool| tool["name"].as_str().unwrap().to_owned())
        .collect()
}

fn echoes(words: &str) -> pollux_testkit::scripted_model::Reply {
    calls("mcp_s_echo", json!({ "text": words }))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_of_a_server_is_asked_about_and_called_in_a_turn() {
    let world = world(&json!({ "s": scripted(&["instructions=Be kind to me."]) }));
    let server = model([echoes("hello"), echoes("again"), says("done")]).await;
    let mut talk = Talk::start(&world, &server).await;
    connected(&mut talk, "s").await;
    talk.say("use it").await;
    let question = talk.event("approvalRequested").await;
    assert_eq!(question["tool"], "mcp_s_echo");
    assert_eq!(question["title"], "echo (s MCP Server)");
    let offers = question["offers"].as_array().unwrap();
    let labels: Vec<&str> = offers
        .iter()
        .map(|offer| offer["label"].as_str().unwrap())
        .collect();
    assert_eq!(
        labels,
        ["`echo` of the server `s`", "every tool of the server `s`"]
    );
    let always = json!({ "kind": "always", "offer": 1, "scope": "user" });
    talk.answer(&question, always).await;
    talk.rest_unasked().await;
    let told = returned(&server);
    assert!(
        told.contains("<untrusted_context>\nagain\n</untrusted_context>"),
        "{told}"
    );
    let saved = fs::read_to_string(world.home().join(".gemini/policies/auto-saved.toml")).unwrap();
    assert!(saved.contains("mcpName = \"s\""), "{saved}");
    let first = server.requests()[0].json().to_string();
    assert!(first.contains("Be kind to me."), "{first}");
    talk.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_prompt_waits_for_no_server() {
    let mut servers = Map::new();
    for place in 0..3 {
        servers.insert(format!("hangs{place}"), scripted(&["hang"]));
    }
    servers.insert("crashes".to_owned(), scripted(&["crash"]));
    for place in 0..6 {
        servers.insert(format!("fine{place}"), scripted(&[]));
    }
    let world = world(&Value::Object(servers));
    let server = model([says("at once")]).await;
    let mut talk = Talk::start(&world, &server).await;
    talk.say("hello").await;
    // The servers that hang never answer, so a turn that waited for one would never end.
    let events = talk.rest().await;
    let end = events.last().unwrap();
    assert_eq!(end["outcome"], "completed", "{end}");
    let request = server.requests()[0].json().to_string();
    assert!(
        request.contains("their tools are not there now"),
        "{request}"
    );
    // None of them had been given up by then.
    for place in 0..3 {
        let told = format!("- hangs{place}: still connecting");
        assert!(request.contains(&told), "{request}");
    }
    let told = events
        .iter()
        .find(|event| event["kind"] == "commandAnswered");
    assert!(
        told.is_some_and(|told| told["text"].as_str().unwrap().contains("hangs2")),
        "{events:#?}"
    );
    talk.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn mcp_client_18_no_server_is_started_in_a_folder_that_is_not_trusted() {
    let world = World::new();
    let log = format!("log={}", world.work().join("log").display());
    let folder = world.home().join(".gemini");
    fs::create_dir_all(&folder).unwrap();
    let settings = json!({ "mcpServers": { "s": scripted(&[&log]) } }).to_string();
    fs::write(folder.join("settings.json"), &settings).unwrap();
    // The folder's own settings do not even count.
    let own = world.work().join(".gemini");
    fs::create_dir_all(&own).unwrap();
    fs::write(
        own.join("settings.json"),
        settings.replace("\"s\"", "\"theirs\""),
    )
    .unwrap();
    let server = model([says("done")]).await;
    let mut command = world.pollux(&["lsp"]);
    with_model(&mut command, &server);
    let mut talk = Talk::start_in(&world.work(), World::start(command)).await;
    let told = answered(&mut talk, "/mcp").await;
    assert!(
        told.contains("**s**: off: the folder is not trusted"),
        "{told}"
    );
    assert!(!told.contains("theirs"), "{told}");
    talk.say("hello").await;
    talk.rest().await;
    assert!(
        !declared(&server, 0)
            .iter()
            .any(|tool| tool.starts_with("mcp_"))
    );
    assert!(!world.work().join("log").exists());
    talk.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn mcp_client_9_a_tool_that_comes_in_a_turn_is_there_in_the_next() {
    let mut entry = scripted(&[]);
    entry["trust"] = json!(true);
    let world = world(&json!({ "s": entry }));
    let server = model([calls("mcp_s_grow", json!({})), says("grown"), says("seen")]).await;
    let mut talk = Talk::start(&world, &server).await;
    connected(&mut talk, "s").await;
    talk.say("grow").await;
    talk.rest_unasked().await;
    while !answered(&mut talk, "/mcp").await.contains("mcp_s_grown_0") {
        tokio::task::yield_now().await;
    }
    talk.say("look").await;
    talk.rest_unasked().await;
    assert!(!declared(&server, 0).contains(&"mcp_s_grown_0".to_owned()));
    assert!(declared(&server, 2).contains(&"mcp_s_grown_0".to_owned()));
    talk.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn prompts_are_commands_and_resources_can_be_named() {
    let world = world(&json!({ "s": scripted(&[]) }));
    let server = model([says("one"), says("two")]).await;
    let mut talk = Talk::start(&world, &server).await;
    connected(&mut talk, "s").await;
    assert_eq!(
        answered(&mut talk, "/two-words").await,
        "Missing required argument(s): --a, --b"
    );
    talk.say("/two-words \"x y\" z").await;
    talk.rest().await;
    let request = server.requests()[0].json().to_string();
    assert!(
        request.contains(r#"Prompt with {\"a\": \"x y\", \"b\": \"z\"}"#),
        "{request}"
    );
    talk.say("what does @s:test://note say?").await;
    talk.rest().await;
    let request = server.requests()[1].json().to_string();
    assert!(request.contains("Content from @s:test://note"), "{request}");
    assert!(request.contains("what the note says"), "{request}");
    let list = talk.request("pollux/commandList", json!({})).await.unwrap();
    let mut names = list["commands"].as_array().unwrap().iter();
    assert!(
        names.any(|command| command["name"] == "two-words"),
        "{list}"
    );
    talk.close().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_asks_one_thing_and_goes_has_the_tools_of_servers_too() {
    let mut entry = scripted(&[]);
    entry["trust"] = json!(true);
    let world = world(&json!({ "s": entry }));
    let server = model([echoes("from a terminal"), says("done")]).await;
    let mut command = world.pollux(&["run", "--skip-trust", "-m", MODEL, "-p", "go"]);
    with_model(&mut command, &server);
    let output = command.stdin(Stdio::null()).output().await.unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(
        returned(&server).contains("from a terminal"),
        "{}",
        returned(&server)
    );
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_can_name_the_servers_that_it_may_have() {
    // Where nobody can be asked, a tool that would be asked about is not offered at all.
    let mut entry = scripted(&[]);
    entry["trust"] = json!(true);
    let world = world(&json!({ "s": entry, "t": entry, "u": entry }));
    let server = model([says("done")]).await;
    let names = ["--allowed-mcp-server-names", "S,t"];
    let run = ["run", "--skip-trust", "-m", MODEL, "-p", "go"];
    let mut command = world.pollux(&[&run[..], &names].concat());
    with_model(&mut command, &server);
    let output = command.stdin(Stdio::null()).output().await.unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let echoes: Vec<String> = declared(&server, 0)
        .into_iter()
        .filter(|tool| tool.ends_with("_echo"))
        .collect();
    assert_eq!(echoes, ["mcp_s_echo", "mcp_t_echo"]);
    world.expect_no_process_left().await;
}

/// In a folder that is trusted.
async fn mcp_servers(world: &World, arguments: &[&str]) -> (Option<i32>, String) {
    let command = world.pollux(&[&["mcp-servers"], arguments].concat());
    said_by(command, "true").await
}

async fn said_by(mut command: Command, trust: &str) -> (Option<i32>, String) {
    command.env("GEMINI_CLI_TRUST_WORKSPACE", trust);
    let output = command.stdin(Stdio::null()).output().await.unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8(said).unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn servers_are_added_tried_out_switched_off_and_removed() {
    let world = World::new();
    let argv = scripted_mcp(&[]);
    let mut add = vec![
        "add",
        "s",
        "--scope",
        "user",
        "-e",
        "K=a=b",
        "--timeout",
        "60000",
        "--",
    ];
    add.extend(argv.iter().map(String::as_str));
    let (code, said) = mcp_servers(&world, &add).await;
    assert_eq!(code, Some(0), "{said}");
    let settings = fs::read_to_string(world.home().join(".gemini/settings.json")).unwrap();
    let parsed: Value = serde_json::from_str(&settings).unwrap();
    assert_eq!(parsed["mcpServers"]["s"]["env"]["K"], "a=b", "{settings}");
    // What the person writes around it stays.
    let file = world.home().join(".gemini/settings.json");
    fs::write(&file, format!("// mine\n{settings}")).unwrap();
    let (code, said) = mcp_servers(&world, &["test", "s"]).await;
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("tool echo (mcp_s_echo)"), "{said}");
    let (code, said) = mcp_servers(&world, &["test", "S"]).await;
    assert_eq!(code, Some(0), "{said}");
    assert!(said.starts_with("s is connected."), "{said}");
    let (_, said) = mcp_servers(&world, &["auth", "S", "--remove"]).await;
    assert!(!said.contains('S'), "{said}");
    let (_, said) = mcp_servers(&world, &["disable", "S"]).await;
    assert_eq!(said, "s is switched off\n");
    let (_, said) = mcp_servers(&world, &["list"]).await;
    assert!(said.starts_with("- s: off: by you; "), "{said}");
    let (code, said) = mcp_servers(&world, &["enable", "other"]).await;
    assert_eq!(code, Some(1), "{said}");
    mcp_servers(&world, &["enable", "s"]).await;
    let (_, said) = mcp_servers(&world, &["remove", "s", "--scope", "user"]).await;
    assert!(said.starts_with("s is not in "), "{said}");
    let left = fs::read_to_string(&file).unwrap();
    assert!(left.starts_with("// mine\n{"), "{left}");
    let (_, said) = mcp_servers(&world, &["list"]).await;
    assert_eq!(said, "No MCP servers are configured.\n");
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_in_the_settings_is_said_where_servers_are_listed() {
    let world = World::new();
    let folder = world.work().join(".gemini");
    fs::create_dir_all(&folder).unwrap();
    let file = folder.join("settings.json");
    let listed = async |settings: &str| {
        fs::write(&file, settings).unwrap();
        let (code, said) = mcp_servers(&world, &["list"]).await;
        assert_eq!(code, Some(0), "{said}");
        said.replace(file.to_str().unwrap(), "FILE")
    };
    let wrong = json!({ "mcpServers": {
        "a": { "command": 3 },
        "b": { "excludeTools": ["x"] },
        "c": { "url": "http://127.0.0.1:9", "oauth": { "scopes": "x" } },
    } });
    expect![[r#"
        ✗ a: not connected: its settings are wrong: `command` must be a string
        - b: off: it has neither `command` nor `url`
        ✗ c: not connected: its settings are wrong: `oauth.scopes` must be a list of strings
    "#]]
    .assert_eq(&listed(&wrong.to_string()).await);
    let said = listed(r#"{ "mcpServers": { "#).await;
    assert!(
        said.starts_with("No MCP servers are configured.\n! FILE:1:"),
        "{said}"
    );
    let said = listed(r#"{ "mcpServers": [] }"#).await;
    assert!(said.contains("\n! FILE:1:"), "{said}");
    // It is in the other file.
    mcp_servers(&world, &["add", "-s", "user", "u", "true"]).await;
    fs::write(&file, "{}").unwrap();
    let (code, said) = mcp_servers(&world, &["remove", "u"]).await;
    assert_eq!(code, Some(1), "{said}");
    assert!(
        said.trim_end().ends_with("which --scope user means"),
        "{said}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_of_a_folder_that_nobody_has_trusted_is_listed_as_off() {
    // Undecided, then decided against it.
    for trust in ["", "false"] {
        let world = World::new();
        let log = format!("log={}", world.work().join("log").display());
        let argv = scripted_mcp(&[&log]);
        let say = async |arguments: &[&str]| {
            let command = world.pollux(&[&["mcp-servers"], arguments].concat());
            said_by(command, trust).await
        };
        let mut add = vec!["add", "x", "--"];
        add.extend(argv.iter().map(String::as_str));
        let (code, said) = say(&add).await;
        assert_eq!(code, Some(0), "{said}");
        let off = "off: the folder is not trusted, so no server is started here";
        assert!(said.ends_with(&format!("\nIt is {off}.\n")), "{said}");
        let (_, said) = say(&["list"]).await;
        assert_eq!(said, format!("- x: {off}\n"));
        for verb in ["test", "auth"] {
            let (code, said) = say(&[verb, "X"]).await;
            assert_eq!(code, Some(1), "{said}");
            assert!(said.contains(&format!("x is {off}")), "{said}");
        }
        let (_, said) = say(&["disable", "x"]).await;
        assert_eq!(said, "x is switched off\n");
        assert!(!world.work().join("log").exists());
        world.expect_no_process_left().await;
    }
}
