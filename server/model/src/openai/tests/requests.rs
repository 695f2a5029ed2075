//! What is sent.

use expect_test::expect;
use pollux_testkit::{Reply, Script, ScriptedModel};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::testing::{KEY, object, open_ai, policy, prompt, serve, whole_conversation};
use crate::*;

async fn sent_body(request: &Request) -> String {
    let server = serve(Reply::text("ok").finish("STOP")).await;
    let model = open_ai(&server.url(), policy(1));
    let stream = model.stream(request, CancellationToken::new());
    assert_eq!(Answer::collect(stream).await.unwrap().text(), "ok");
    let sent = server.next_request().await;
    assert_eq!(
        (sent.method.as_str(), sent.path.as_str()),
        ("POST", "/v1/chat/completions")
    );
    let body: Value = serde_json::from_slice(&sent.body).unwrap();
    serde_json::to_string_pretty(&body).unwrap()
}

#[tokio::test]
async fn the_whole_body() {
    expect![[r#"
        {
          "model": "qwen3",
          "messages": [
            {
              "role": "system",
              "content": "Be brief."
            },
            {
              "role": "user",
              "content": [
                {
                  "type": "text",
                  "text": "look"
                },
                {
                  "type": "image_url",
                  "image_url": {
                    "url": "data:image/png;base64,iVBO"
                  }
                },
                {
                  "type": "text",
                  "text": "[An attachment of type application/pdf was left out: only images can be sent here.]"
                }
              ]
            },
            {
              "role": "assistant",
              "content": "Reading.",
              "tool_calls": [
                {
                  "id": "c1",
                  "type": "function",
                  "function": {
                    "name": "read_file",
                    "arguments": "{\"file_path\":\"a.rs\",\"limit\":3}"
                  }
                },
                {
                  "id": "c2",
                  "type": "function",
                  "function": {
                    "name": "read_file",
                    "arguments": "{\"file_path\":\"a.rs\",\"limit\":3}"
                  }
                }
              ]
            },
            {
              "role": "tool",
              "tool_call_id": "c1",
              "content": "fn main() {}"
            },
            {
              "role": "tool",
              "tool_call_id": "c2",
              "content": "{\"error\":\"no such file\",\"code\":2}"
            },
            {
              "role": "user",
              "content": "also: be quick"
            }
          ],
          "tools": [
            {
              "type": "function",
              "function": {
                "name": "read_file",
                "description": "Reads a file.",
                "parameters": {
                  "type": "object",
                  "properties": {
                    "file_path": {
                      "type": "string"
                    }
                  }
                }
              }
            }
          ],
          "temperature": 1,
          "top_p": 0.95,
          "max_tokens": 2000,
          "response_format": {
            "type": "json_object"
          },
          "stream": true,
          "stream_options": {
            "include_usage": true
          }
        }"#]].assert_eq(&sent_body(&whole_conversation()).await);
}

#[tokio::test]
async fn what_is_empty_is_left_out() {
    expect![[r#"
        {
          "model": "qwen3",
          "messages": [
            {
              "role": "user",
              "content": "hi"
            }
          ],
          "stream": true,
          "stream_options": {
            "include_usage": true
          }
        }"#]]
    .assert_eq(&sent_body(&prompt()).await);
}

#[tokio::test]
async fn a_schema_for_the_answer_is_passed_on() {
    let request = Request {
        generation: object(
            json!({ "responseJsonSchema": { "type": "object" }, "stopSequences": ["END"] }),
        ),
        ..prompt()
    };
    expect![[r#"
        {
          "model": "qwen3",
          "messages": [
            {
              "role": "user",
              "content": "hi"
            }
          ],
          "stop": [
            "END"
          ],
          "response_format": {
            "type": "json_schema",
            "json_schema": {
              "name": "answer",
              "schema": {
                "type": "object"
              }
            }
          },
          "stream": true,
          "stream_options": {
            "include_usage": true
          }
        }"#]]
    .assert_eq(&sent_body(&request).await);
}

#[tokio::test]
async fn the_key_is_optional() {
    let server = serve(Reply::text("ok").finish("STOP").times(2)).await;
    let ask = async |key: Option<ApiKey>| {
        let config = OpenAiConfig {
            key,
            ..OpenAiConfig::new(format!("{}/v1/", server.url()), "qwen3")
        };
        let model = Model::OpenAi(OpenAi::new(config, Http::default()).unwrap());
        assert_eq!(model.name(), "qwen3");
        let answer = model
            .generate(prompt(), CancellationToken::new())
            .await
            .unwrap();
        assert_eq!(answer.text(), "ok");
        let sent = server.next_request().await;
        assert_eq!(
            (&sent.json()["stream"], sent.path.as_str()),
            (&json!(false), "/v1/chat/completions")
        );
        sent.header("authorization").map(str::to_owned)
    };
    assert_eq!(ask(None).await, None);
    assert_eq!(ask(ApiKey::new(KEY)).await, Some(format!("Bearer {KEY}")));
}

#[tokio::test]
async fn a_redirect_does_not_take_the_key_elsewhere() {
    let elsewhere = serve(Reply::text("stolen").finish("STOP").always()).await;
    let redirect = Reply::raw("text/plain", "moved").status(307).header(
        "location",
        &format!("{}/v1/chat/completions", elsewhere.url()),
    );
    let server = ScriptedModel::start(Script::new().reply(redirect).strict()).await;
    let stream = open_ai(&server.url(), policy(3)).stream(&prompt(), CancellationToken::new());
    let error = Answer::collect(stream).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the provider answered with HTTP 307: moved"
    );
    assert_eq!(elsewhere.requests().len(), 0);
}

#[tokio::test]
async fn tokens_are_not_counted() {
    let model = Model::OpenAi(open_ai("http://127.0.0.1:9", policy(1)));
    let count = model
        .count_tokens(&prompt(), CancellationToken::new())
        .await;
    assert_eq!(count, Err(CountError::Unsupported));
    let answer = model
        .generate(Request::default(), CancellationToken::new())
        .await;
    assert_eq!(answer, Err(ModelError::NoPrompt));
}
