//! What stays of a turn that failed behind its tools.

use std::sync::Arc;

use expect_test::expect;
use pollux_testkit::{Reply, Script};
use serde_json::Value;

use crate::testing::FixedGate;

use super::{Stage, ok, reads};

fn refusal() -> Reply {
    Reply::error(400, "INVALID_ARGUMENT", "bad")
}

#[tokio::test(start_paused = true)]
async fn a_failure_behind_tool_results_keeps_them_and_marks_the_missing_answer() {
    let thoughts = Reply::new().thought("**Plan** think").finish("STOP");
    let cut = Reply::text("half").cut();
    let mut shown = String::new();
    for failures in [refusal(), thoughts.times(4), cut.times(4)] {
        let failed = failures.times;
        let script = Script::new()
            .reply(reads("a.rs", "1"))
            .reply(failures)
            .reply(ok());
        let mut stage = Stage::start(script).await;
        let turn = stage.turn("fix it").await;
        shown += turn.lines().last().unwrap_or_default();
        stage.turn("again").await;
        shown += &format!("\n{}--\n", stage.contents(failed + 2));
    }
    expect![[r#"
        0s turn 1 ended Failed: the provider rejects the request: bad
        user: "fix it"
        model: {"functionCall":{"name":"read_file","args":{"file_path":"a.rs"},"id":"1"},"thoughtSignature":"signed"}
        user: {"functionResponse":{"name":"read_file","id":"1","response":{"output":"one\n"}}}
        model: "[The previous response was interrupted before it completed.]"
        user: "again"
        --
        7s turn 1 ended InvalidAnswer: the model gave no answer that can be used (THINKING_ONLY_RESPONSE)
        user: "fix it"
        model: {"functionCall":{"name":"read_file","args":{"file_path":"a.rs"},"id":"1"},"thoughtSignature":"signed"}
        user: {"functionResponse":{"name":"read_file","id":"1","response":{"output":"one\n"}}}
        model: "[The previous response was interrupted before it completed.]"
        user: "again"
        --
        7s turn 1 ended Failed: the connection closed before the reply ended (<host>: end of file before message length reached)
        user: "fix it"
        model: {"functionCall":{"name":"read_file","args":{"file_path":"a.rs"},"id":"1"},"thoughtSignature":"signed"}
        user: {"functionResponse":{"name":"read_file","id":"1","response":{"output":"one\n"}}}
        model: "[The previous response was interrupted before it completed.]"
        user: "again"
        --
    "#]].assert_eq(&shown);
}

#[tokio::test(start_paused = true)]
async fn the_mark_is_set_once_also_when_the_next_prompt_fails_too() {
    let script = Script::new()
        .reply(reads("a.rs", "1"))
        .reply(refusal().times(3))
        .reply(ok());
    let mut stage = Stage::start(script).await;
    for prompt in ["fix it", "again", "and again", "at last"] {
        stage.turn(prompt).await;
    }
    expect![[r#"
        user: "fix it"
        model: {"functionCall":{"name":"read_file","args":{"file_path":"a.rs"},"id":"1"},"thoughtSignature":"signed"}
        user: {"functionResponse":{"name":"read_file","id":"1","response":{"output":"one\n"}}}
        model: "[The previous response was interrupted before it completed.]"
        user: "at last"
    "#]].assert_eq(&stage.contents(5));
}

#[tokio::test(start_paused = true)]
async fn the_request_after_a_tool_is_as_documented() {
    let script = Script::new().reply(reads("a.rs", "1")).reply(ok());
    let mut stage = Stage::start_with(script, |_, config| {
        config.instructions = Some(Arc::new("Be brief.".to_owned()));
        config.gate = Arc::new(FixedGate {
            excluded: ["replace".to_owned()].into(),
            ..FixedGate::default()
        });
    })
    .await;
    stage.turn("fix it").await;
    let request = &stage.server.requests()[1];
    let body: Value = request.json();
    let body = serde_json::to_string_pretty(&body).unwrap();
    expect![[r#"
        /v1beta/models/gemini-test:streamGenerateContent?alt=sse
        {
          "contents": [
            {
              "role": "user",
              "parts": [
                {
                  "text": "fix it"
                }
              ]
            },
            {
              "role": "model",
              "parts": [
                {
                  "functionCall": {
                    "name": "read_file",
                    "args": {
                      "file_path": "a.rs"
                    },
                    "id": "1"
                  },
                  "thoughtSignature": "signed"
                }
              ]
            },
            {
              "role": "user",
              "parts": [
                {
                  "functionResponse": {
                    "name": "read_file",
                    "id": "1",
                    "response": {
                      "output": "one\n"
                    }
                  }
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
                  "name": "list_directory",
                  "description": "Lists the files and folders directly in a folder.",
                  "parametersJsonSchema": {
                    "type": "object",
                    "properties": {
                      "dir_path": {
                        "type": "string",
                        "description": "The folder."
                      },
                      "ignore": {
                        "type": "array",
                        "items": {
                          "type": "string"
                        },
                        "description": "Glob patterns of names to leave out."
                      },
                      "file_filtering_options": {
                        "type": "object",
                        "description": "Whether ignore files count; they do unless set to false.",
                        "properties": {
                          "respect_git_ignore": {
                            "type": "boolean"
                          },
                          "respect_gemini_ignore": {
                            "type": "boolean"
                          }
                        }
                      }
                    },
                    "required": [
                      "dir_path"
                    ]
                  }
                },
                {
                  "name": "read_file",
                  "description": "Reads a text file of the workspace. Returns at most 2000 lines unless end_line is given; says so when there is more.",
                  "parametersJsonSchema": {
                    "type": "object",
                    "properties": {
                      "file_path": {
                        "type": "string",
                        "description": "The file, relative to the workspace root."
                      },
                      "start_line": {
                        "type": "integer",
                        "minimum": 1,
                        "description": "The first line to read, counted from 1."
                      },
                      "end_line": {
                        "type": "integer",
                        "minimum": 1,
                        "description": "The last line to read."
                      }
                    },
                    "required": [
                      "file_path"
                    ]
                  }
                },
                {
                  "name": "grep_search",
                  "description": "Searches file contents for a regular expression.",
                  "parametersJsonSchema": {
                    "type": "object",
                    "properties": {
                      "pattern": {
                        "type": "string",
                        "minLength": 1,
                        "description": "What to look for."
                      },
                      "dir_path": {
                        "type": "string",
                        "description": "A folder or file; the workspace if left out."
                      },
                      "include_pattern": {
                        "type": "string",
                        "description": "Only files that match this glob."
                      },
                      "exclude_pattern": {
                        "type": "string",
                        "description": "No lines that match this regular expression."
                      },
                      "names_only": {
                        "type": "boolean",
                        "description": "Only the names of the files."
                      },
                      "max_matches_per_file": {
                        "type": "integer",
                        "minimum": 1
                      },
                      "total_max_matches": {
                        "type": "integer",
                        "minimum": 1,
                        "description": "100 if left out."
                      },
                      "case_sensitive": {
                        "type": "boolean",
                        "description": "Off unless set."
                      },
                      "fixed_strings": {
                        "type": "boolean",
                        "description": "The pattern is plain text."
                      },
                      "context": {
                        "type": "integer",
                        "minimum": 0,
                        "description": "Lines around each match."
                      },
                      "after": {
                        "type": "integer",
                        "minimum": 0
                      },
                      "before": {
                        "type": "integer",
                        "minimum": 0
                      },
                      "no_ignore": {
                        "type": "boolean",
                        "description": "Search ignored files too."
                      }
                    },
                    "required": [
                      "pattern"
                    ]
                  }
                },
                {
                  "name": "glob",
                  "description": "Finds files by a glob pattern such as `src/**/*.ts`, the newest first.",
                  "parametersJsonSchema": {
                    "type": "object",
                    "properties": {
                      "pattern": {
                        "type": "string",
                        "minLength": 1,
                        "description": "The pattern."
                      },
                      "dir_path": {
                        "type": "string",
                        "description": "The folder to search; the workspace if left out."
                      },
                      "case_sensitive": {
                        "type": "boolean",
                        "description": "Off unless set."
                      },
                      "respect_git_ignore": {
                        "type": "boolean",
                        "description": "On unless set."
                      },
                      "respect_gemini_ignore": {
                        "type": "boolean",
                        "description": "On unless set."
                      }
                    },
                    "required": [
                      "pattern"
                    ]
                  }
                },
                {
                  "name": "write_file",
                  "description": "Writes a whole file, new or not. To change a part of one, use replace.",
                  "parametersJsonSchema": {
                    "type": "object",
                    "properties": {
                      "file_path": {
                        "type": "string",
                        "description": "The file, relative to the workspace root."
                      },
                      "content": {
                        "type": "string",
                        "description": "All of its text."
                      }
                    },
                    "required": [
                      "file_path",
                      "content"
                    ]
                  }
                }
              ]
            }
          ]
        }
    "#]].assert_eq(&format!("{}?{}\n{body}\n", request.path, request.query));
}
