//! What is sent.

use expect_test::{Expect, expect};
use pollux_testkit::{Reply, ScriptedModel};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::testing::{KEY, gemini, policy, prompt, serve, whole_conversation};
use crate::*;

async fn send(server: &ScriptedModel, config: GeminiConfig, request: &Request) -> String {
    let gemini = Gemini::new(config, Http::default()).unwrap();
    let answer = Answer::collect(gemini.stream(request, CancellationToken::new())).await;
    assert_eq!(answer.unwrap().text(), "ok");
    let sent = server.next_request().await;
    let mut lines = format!("{} {}?{}\n", sent.method, sent.path, sent.query);
    for (name, value) in &sent.headers {
        if !matches!(name.as_str(), "host" | "content-length") {
            lines += &format!("{name}: {value}\n");
        }
    }
    lines
}

fn check_head(actual: &str, expected: Expect) {
    expected.assert_eq(&actual.replace(KEY, "<key>"));
}

async fn ok_server() -> ScriptedModel {
    serve(Reply::text("ok").finish("STOP").always()).await
}

fn from_env(base: &str, variables: &[(&str, &str)]) -> GeminiConfig {
    let lookup = |name: &str| {
        let found = variables.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| value.replace("BASE", base))
    };
    let config = GeminiConfig::from_env("gemini-3-pro", lookup);
    config.unwrap().unwrap()
}

#[tokio::test]
async fn newer_models_find_what_a_tool_shows_in_its_result() {
    let data = |mime_type: &str| {
        Part::InlineData(InlineData {
            mime_type: mime_type.to_owned(),
            data: "AA==".to_owned(),
        })
    };
    let response = |id: &str| {
        Part::FunctionResponse(FunctionResponse {
            id: CallId::new(id),
            name: "read_file".to_owned(),
            response: serde_json::Map::new(),
        })
    };
    let parts = vec![
        data("image/gif"),
        response("1"),
        data("image/png"),
        data("application/pdf"),
        data("audio/mp3"),
        data("image/png"),
        response("2"),
    ];
    let request = Request {
        contents: vec![Content {
            role: Role::User,
            parts,
        }],
        ..prompt()
    };
    let shape = |part: &Value| match part.get("functionResponse") {
        Some(response) => match response.get("parts") {
            Some(parts) => format!("result with {}", parts.as_array().unwrap().len()),
            None => "result".to_owned(),
        },
        None => part["inlineData"]["mimeType"].as_str().unwrap().to_owned(),
    };
    for (model, expected) in [
        (
            "gemini-3-pro-preview",
            "image/gif, result with 2, audio/mp3, image/png, result",
        ),
        (
            "gemini-2.5-pro",
            "image/gif, result, image/png, application/pdf, audio/mp3, image/png, result",
        ),
    ] {
        let server = ok_server().await;
        let config = GeminiConfig {
            model: model.to_owned(),
            ..from_env(
                &server.url(),
                &[("GEMINI_API_KEY", KEY), ("GOOGLE_GEMINI_BASE_URL", "BASE")],
            )
        };
        let gemini = Gemini::new(config, Http::default()).unwrap();
        let stream = gemini.stream(&request, CancellationToken::new());
        Answer::collect(stream).await.unwrap();
        let sent = server.next_request().await;
        let body: Value = serde_json::from_slice(&sent.body).unwrap();
        let parts = body["contents"][0]["parts"].as_array().unwrap();
        let shapes: Vec<String> = parts.iter().map(shape).collect();
        assert_eq!(shapes.join(", "), expected);
    }
}

#[tokio::test]
async fn the_body_holds_exactly_these_keys_in_this_order() {
    let server = ok_server().await;
    let gemini = gemini(&server.url(), policy(1));
    let stream = gemini.stream(&whole_conversation(), CancellationToken::new());
    Answer::collect(stream).await.unwrap();
    let sent = server.next_request().await;
    let body: Value = serde_json::from_slice(&sent.body).unwrap();
    expect![[r#"
        {
          "contents": [
            {
              "role": "user",
              "parts": [
                {
                  "text": "look"
                },
                {
                  "inlineData": {
                    "mimeType": "image/png",
                    "data": "iVBO"
                  }
                },
                {
                  "inlineData": {
                    "mimeType": "application/pdf",
                    "data": "JVBE"
                  }
                }
              ]
            },
            {
              "role": "model",
              "parts": [
                {
                  "text": "**Plan**\nRead both.",
                  "thought": true
                },
                {
                  "text": "Reading."
                },
                {
                  "functionCall": {
                    "name": "read_file",
                    "args": {
                      "file_path": "a.rs",
                      "limit": 3
                    },
                    "id": "c1"
                  },
                  "thoughtSignature": "sig=="
                },
                {
                  "functionCall": {
                    "name": "read_file",
                    "args": {
                      "file_path": "a.rs",
                      "limit": 3
                    },
                    "id": "c2"
                  }
                }
              ]
            },
            {
              "role": "user",
              "parts": [
                {
                  "functionResponse": {
                    "name": "read_file",
                    "id": "c1",
                    "response": {
                      "output": "fn main() {}"
                    }
                  }
                },
                {
                  "functionResponse": {
                    "name": "read_file",
                    "id": "c2",
                    "response": {
                      "error": "no such file",
                      "code": 2
                    }
                  }
                },
                {
                  "text": "also: be quick"
                }
              ]
            }
          ],
          "systemInstruction": {
            "role": "user",
            "parts": [
              {
                "text": "Be brief."
              }
            ]
          },
          "tools": [
            {
              "functionDeclarations": [
                {
                  "name": "read_file",
                  "description": "Reads a file.",
                  "parametersJsonSchema": {
                    "type": "object",
                    "properties": {
                      "file_path": {
                        "type": "string"
                      }
                    }
                  }
                }
              ]
            }
          ],
          "generationConfig": {
            "temperature": 1,
            "topP": 0.95,
            "topK": 64,
            "maxOutputTokens": 2000,
            "thinkingConfig": {
              "includeThoughts": true
            },
            "responseMimeType": "application/json"
          }
        }"#]]
    .assert_eq(&serde_json::to_string_pretty(&body).unwrap());
}

#[tokio::test]
async fn what_is_empty_is_left_out() {
    let server = ok_server().await;
    let gemini = gemini(&server.url(), policy(1));
    let stream = gemini.stream(&prompt(), CancellationToken::new());
    Answer::collect(stream).await.unwrap();
    expect![[r#"{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}"#]]
        .assert_eq(&server.next_request().await.text());
}

#[tokio::test]
async fn the_usual_head() {
    let server = ok_server().await;
    let url = server.url();
    let config = from_env(
        &url,
        &[("GEMINI_API_KEY", KEY), ("GOOGLE_GEMINI_BASE_URL", "BASE")],
    );
    check_head(
        &send(&server, config, &prompt()).await,
        expect![[r#"
        POST /v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse
        content-type: application/json
        user-agent: Pollux/0.1.0
        x-goog-api-key: <key>
        accept: */*
    "#]],
    );
}

#[tokio::test]
async fn everything_about_the_head_can_be_set() {
    let server = ok_server().await;
    let variables = [
        ("GEMINI_API_KEY", KEY),
        ("GOOGLE_GEMINI_BASE_URL", "BASE/gate/way/"),
        ("GOOGLE_GENAI_API_VERSION", "v9"),
        ("GEMINI_API_KEY_AUTH_MECHANISM", "bearer"),
        ("GEMINI_CLI_CUSTOM_HEADERS", "X-Team: a, b, X-Trace: on"),
    ];
    let mut config = from_env(&server.url(), &variables);
    config.model = "models/odd name/../x?y".to_owned();
    check_head(
        &send(&server, config, &prompt()).await,
        expect![[r#"
        POST /gate/way/v9/models/odd%20name%2F..%2Fx%3Fy:streamGenerateContent?alt=sse
        content-type: application/json
        user-agent: Pollux/0.1.0
        authorization: Bearer <key>
        x-team: a, b
        x-trace: on
        accept: */*
    "#]],
    );
}

#[tokio::test]
async fn vertex_express_takes_the_google_key() {
    let server = ok_server().await;
    let variables = [("GOOGLE_API_KEY", KEY), ("GOOGLE_VERTEX_BASE_URL", "BASE")];
    let config = from_env(&server.url(), &variables);
    check_head(
        &send(&server, config, &prompt()).await,
        expect![[r#"
        POST /v1beta1/publishers/google/models/gemini-3-pro:streamGenerateContent?alt=sse
        content-type: application/json
        user-agent: Pollux/0.1.0
        x-goog-api-key: <key>
        accept: */*
    "#]],
    );
}

#[test]
fn the_environment_chooses_the_door() {
    let choose = |variables: &[(&str, &str)]| {
        let lookup = |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        match GeminiConfig::from_env("m", lookup) {
            Ok(None) => "nothing".to_owned(),
            Ok(Some(config)) => {
                let key = config.key.as_ref().map_or("no key", |key| key.expose());
                format!("{:?} {} {key}", config.api, config.base_url)
            }
            Err(error) => error.to_string(),
        }
    };
    let gemini = ("GEMINI_API_KEY", "gem");
    let google = ("GOOGLE_API_KEY", "goo");
    let vertex = ("GOOGLE_GENAI_USE_VERTEXAI", "true");
    let base = ("GOOGLE_GEMINI_BASE_URL", "http://127.0.0.1:9");
    let cases = [
        choose(&[]),
        choose(&[("GEMINI_API_KEY", " ")]),
        choose(&[gemini, google]),
        choose(&[google]),
        choose(&[gemini, google, vertex]),
        choose(&[base]),
        choose(&[gemini, ("GEMINI_API_KEY_AUTH_MECHANISM", "basic")]),
    ];
    expect![[r#"
        nothing
        nothing
        Developer https://generativelanguage.googleapis.com gem
        VertexExpress https://aiplatform.googleapis.com goo
        VertexExpress https://aiplatform.googleapis.com goo
        Developer http://127.0.0.1:9 no key
        cannot use this model: GEMINI_API_KEY_AUTH_MECHANISM is "basic""#]]
    .assert_eq(&cases.join("\n"));
}

#[tokio::test]
async fn generate_asks_for_one_piece_and_count_tokens_for_a_number() {
    let server = ScriptedModel::start(
        pollux_testkit::Script::new()
            .reply(
                Reply::text("a")
                    .chunk("b")
                    .finish("STOP")
                    .when_path(":generateContent"),
            )
            .reply(Reply::token_count(42).when_path(":countTokens"))
            .reply(Reply::json(&serde_json::json!({ "no": "count" })).when_path(":countTokens"))
            .strict(),
    )
    .await;
    let model = Model::Gemini(gemini(&server.url(), policy(1)));
    let answer = model
        .generate(prompt(), CancellationToken::new())
        .await
        .unwrap();
    assert_eq!(
        (answer.text(), answer.reason),
        ("ab".to_owned(), FinishReason::Stop)
    );
    let count = model
        .count_tokens(&prompt(), CancellationToken::new())
        .await;
    assert_eq!(count, Ok(42));
    let error = model
        .count_tokens(&prompt(), CancellationToken::new())
        .await
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "the model's reply cannot be read: the token count is missing"
    );
    let paths: Vec<String> = server
        .requests()
        .iter()
        .map(|sent| sent.path.clone())
        .collect();
    assert_eq!(
        paths,
        [
            "/v1beta/models/gemini-3-pro:generateContent",
            "/v1beta/models/gemini-3-pro:countTokens",
            "/v1beta/models/gemini-3-pro:countTokens",
        ]
    );
    assert_eq!(
        server.requests()[1].text(),
        r#"{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}"#
    );
}

#[tokio::test]
async fn an_empty_conversation_is_not_sent() {
    let gemini = gemini("http://127.0.0.1:9", policy(1));
    let answer =
        Answer::collect(gemini.stream(&Request::default(), CancellationToken::new())).await;
    assert_eq!(answer, Err(ModelError::NoPrompt));
}

#[test]
fn unusable_settings_are_told_before_anything_is_sent() {
    let told = |change: &dyn Fn(&mut GeminiConfig)| {
        let mut config = GeminiConfig::new(GeminiApi::Developer, "m", ApiKey::new(KEY));
        change(&mut config);
        Gemini::new(config, Http::default())
            .map_or_else(|error| error.to_string(), |_| "fine".to_owned())
    };
    let cases = [
        told(&|_| {}),
        told(&|config| config.base_url = "http://example.com".to_owned()),
        told(&|config| config.base_url = "http://localhost:1".to_owned()),
        told(&|config| config.base_url = "http://[::1]:1".to_owned()),
        told(&|config| config.base_url = "ftp://user:password-in-url@host".to_owned()),
        told(&|config| config.base_url = "no address".to_owned()),
        told(&|config| config.model = " ".to_owned()),
        told(&|config| config.key = ApiKey::new("line\nbreak-in-key")),
        told(&|config| config.headers = CustomHeaders::parse("bad name: x")),
    ];
    expect![[r#"
        fine
        cannot use this model: the address of example.com must begin with https
        fine
        fine
        cannot use this model: the base URL begins with "ftp", not with http
        cannot use this model: the base URL cannot be read: relative URL without a base
        cannot use this model: the model has no name
        cannot use this model: the API key has characters that no key has
        cannot use this model: the custom header "bad name" cannot be sent"#]]
    .assert_eq(&cases.join("\n"));
}

#[tokio::test]
async fn tools_of_an_alias_stand_beside_the_parameters() {
    let server = ok_server().await;
    let gemini = gemini(&server.url(), policy(1));
    let key = ModelKey {
        name: "web-search",
        purpose: Purpose::Utility,
        scope: None,
        attempt: Attempt::First,
        previews: Previews::Allowed,
    };
    let request = Request {
        generation: ModelConfigs::default().resolve(&key).unwrap().generation,
        ..prompt()
    };
    gemini
        .generate(&request, CancellationToken::new())
        .await
        .unwrap();
    let body: Value = serde_json::from_slice(&server.next_request().await.body).unwrap();
    expect![[r#"{"contents":[{"role":"user","parts":[{"text":"hi"}]}],"tools":[{"googleSearch":{}}],"generationConfig":{"temperature":0,"topP":1}}"#]]
        .assert_eq(&body.to_string());
}
