use expect_test::expect;
use pollux_mcp::connect::Token;
use tempfile::TempDir;

use super::*;

fn file(folder: &TempDir) -> TokenFile {
    TokenFile {
        folder: folder.path().join(".gemini"),
        path: folder.path().join(".gemini/mcp-oauth-tokens.json"),
    }
}

fn credentials(server: &str) -> Credentials {
    Credentials {
        server_name: server.to_owned(),
        token: Token {
            access_token: "at".to_owned(),
            refresh_token: Some("rt".to_owned()),
            expires_at: Some(1_700_000_000_000),
            token_type: "Bearer".to_owned(),
            scope: None,
        },
        client_id: Some("id".to_owned()),
        client_secret: None,
        token_url: Some("https://a.example/token".to_owned()),
        mcp_server_url: Some("https://s.example/mcp".to_owned()),
        updated_at: 1_600_000_000_000,
    }
}

#[test]
fn an_entry_is_written_as_the_twin_writes_it_and_only_for_the_person() {
    let folder = tempfile::tempdir().unwrap();
    let file = file(&folder);
    file.save(&credentials("s")).unwrap();
    expect![[r#"
        [
          {
            "serverName": "s",
            "token": {
              "accessToken": "at",
              "refreshToken": "rt",
              "expiresAt": 1700000000000,
              "tokenType": "Bearer"
            },
            "clientId": "id",
            "tokenUrl": "https://a.example/token",
            "mcpServerUrl": "https://s.example/mcp",
            "updatedAt": 1600000000000
          }
        ]"#]]
    .assert_eq(&std::fs::read_to_string(&file.path).unwrap());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(&file.path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    assert_eq!(file.load("s").unwrap(), Some(credentials("s")));
    assert_eq!(file.load("t").unwrap(), None);
}

#[test]
fn others_keep_theirs_and_the_last_takes_the_file_along() {
    let folder = tempfile::tempdir().unwrap();
    let file = file(&folder);
    std::fs::create_dir_all(&file.folder).unwrap();
    let theirs = r#"[{"serverName":"x","token":{"accessToken":"1"},"more":true}]"#;
    std::fs::write(&file.path, theirs).unwrap();
    file.save(&credentials("s")).unwrap();
    file.save(&credentials("s")).unwrap();
    let text = std::fs::read_to_string(&file.path).unwrap();
    assert_eq!(text.matches("serverName").count(), 2);
    assert!(text.contains("\"more\": true"));
    assert_eq!(file.load("x").unwrap().unwrap().token.token_type, "Bearer");
    file.delete("s").unwrap();
    file.delete("nobody").unwrap();
    assert!(file.path.exists());
    file.delete("x").unwrap();
    assert!(!file.path.exists());
}

#[test]
fn what_is_no_list_is_left_alone_and_not_repeated() {
    let folder = tempfile::tempdir().unwrap();
    let file = file(&folder);
    std::fs::create_dir_all(&file.folder).unwrap();
    std::fs::write(&file.path, "{\"secret\": \"at").unwrap();
    let problem = file.save(&credentials("s")).unwrap_err();
    assert!(problem.ends_with("is not a JSON list"), "{problem}");
    assert!(file.load("s").is_err());
    assert_eq!(
        std::fs::read_to_string(&file.path).unwrap(),
        "{\"secret\": \"at"
    );
}
