use expect_test::{Expect, expect};
use serde_json::json;

use super::*;

fn parsed(entry: Value) -> String {
    match ServerConfig::parse("x", &entry) {
        Ok(Some(config)) => format!("{:?} within {:?}", config.reach, config.timeout),
        Ok(None) => "only an override".to_owned(),
        Err(error) => error.to_string(),
    }
}

fn check(entry: Value, expected: Expect) {
    expected.assert_eq(&parsed(entry));
}

#[test]
fn a_command_is_run_and_an_address_is_reached() {
    check(
        json!({ "command": "npx", "args": ["-y", "a"], "env": { "K": "v" }, "cwd": "sub", "timeout": 5000 }),
        expect![[
            r#"Program { argv: ["npx", "-y", "a"], folder: Some("sub"), variables: [("K", "v")] } within 5s"#
        ]],
    );
    check(
        json!({ "url": "http://x/mcp", "headers": { "A": "b" } }),
        expect![[
            r#"Http { url: "http://x/mcp", headers: [("A", "b")], fallback: Sse } within 600s"#
        ]],
    );
    check(
        json!({ "url": "http://x/mcp", "type": "http" }),
        expect![[r#"Http { url: "http://x/mcp", headers: [], fallback: Nothing } within 600s"#]],
    );
    check(
        json!({ "url": "http://x/sse", "type": "sse" }),
        expect![[r#"Sse { url: "http://x/sse", headers: [] } within 600s"#]],
    );
}

#[test]
fn the_deprecated_address_goes_before_the_other() {
    check(
        json!({ "httpUrl": "http://a", "url": "http://b", "command": "c" }),
        expect![[r#"Http { url: "http://a", headers: [], fallback: Nothing } within 600s"#]],
    );
}

#[test]
fn an_entry_that_only_narrows_connects_nothing() {
    check(
        json!({ "excludeTools": ["x"] }),
        expect!["only an override"],
    );
    check(
        json!({ "tcp": "localhost:1", "trust": true }),
        expect!["only an override"],
    );
}

#[test]
fn what_is_wrong_is_named() {
    check(json!("npx"), expect!["it must be an object"]);
    check(
        json!({ "command": 7 }),
        expect!["`command` must be a string"],
    );
    check(
        json!({ "command": "a", "args": "b" }),
        expect!["`args` must be a list of strings"],
    );
    check(
        json!({ "command": "a", "timeout": -1 }),
        expect!["`timeout` must be a number of milliseconds"],
    );
    check(
        json!({ "command": "a", "env": { "K": 1 } }),
        expect!["`env` must be an object of strings"],
    );
    let oauth = |oauth: Value| json!({ "url": "http://a", "oauth": oauth });
    check(oauth(json!(true)), expect!["`oauth` must be an object"]);
    check(
        oauth(json!({ "scopes": "read" })),
        expect!["`oauth.scopes` must be a list of strings"],
    );
    check(
        oauth(json!({ "clientSecret": 7 })),
        expect!["`oauth.clientSecret` must be a string"],
    );
    check(
        oauth(json!({ "enabled": "yes" })),
        expect!["`oauth.enabled` must be true or false"],
    );
    check(
        oauth(json!({ "grantType": "password" })),
        expect!["`oauth.grantType` must be `authorization_code` or `client_credentials`"],
    );
}

#[test]
fn whatever_the_twin_knows_of_signing_in_is_taken() {
    let oauth = json!({
        "enabled": true, "clientId": "a", "clientSecret": "b", "authorizationUrl": "c", "issuer": "d", "tokenUrl": "e",
        "scopes": ["f"], "audiences": ["g"], "redirectUri": "h", "tokenParamName": "i", "registrationUrl": "j",
    });
    let entry = json!({ "url": "http://a", "oauth": oauth });
    let config = ServerConfig::parse("s", &entry).unwrap().unwrap();
    assert_eq!(config.oauth, Some(oauth));
}

fn filter(include: Option<&[&str]>, exclude: &[&str]) -> ToolFilter {
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    ToolFilter {
        include: include.map(owned),
        exclude: owned(exclude),
    }
}

#[test]
fn mcp_client_3_excluding_wins_and_an_empty_list_includes_nothing() {
    assert!(!filter(Some(&["a"]), &["a"]).admits("a"));
    assert!(!filter(Some(&[]), &[]).admits("a"));
    assert!(filter(Some(&["a(x)"]), &[]).admits("a"));
    assert!(!filter(Some(&["a(x)"]), &[]).admits("b"));
    assert!(!filter(Some(&["ab"]), &[]).admits("a"));
    assert!(filter(None, &["b"]).admits("a"));
}

#[test]
fn mcp_client_4_a_user_narrows_what_an_extension_brings() {
    let extension = json!({ "command": "a", "env": { "K": "1", "L": "2" } });
    let merged = merged_with_extension(
        &extension,
        &json!({ "excludeTools": ["x"], "env": { "K": "3" } }),
    );
    let config = ServerConfig::parse("x", &merged).unwrap().unwrap();
    assert!(!config.filter.admits("x"));
    assert!(config.filter.admits("y"));
    assert_eq!(merged["env"], json!({ "K": "3", "L": "2" }));
}

#[test]
fn mcp_client_5_two_lists_without_a_common_tool_include_nothing() {
    let merged = merged_with_extension(
        &json!({ "command": "a", "includeTools": ["x"], "excludeTools": ["p"] }),
        &json!({ "includeTools": ["y"], "excludeTools": ["q"] }),
    );
    assert_eq!(merged["includeTools"], json!([]));
    assert_eq!(merged["excludeTools"], json!(["p", "q"]));
}

#[test]
fn a_server_command_is_split_and_has_no_operators() {
    let config = ServerConfig::of_command("node 'a b.js' --x").unwrap();
    assert_eq!(config.name, "mcp");
    let Reach::Program { argv, .. } = config.reach else {
        panic!("it is a program");
    };
    assert_eq!(argv, ["node", "a b.js", "--x"]);
    for command in [
        "a | b", "a; b", "a && b", "a > b", "a $(b)", "a `b`", "", "a 'b",
    ] {
        assert!(ServerConfig::of_command(command).is_err(), "{command}");
    }
}
