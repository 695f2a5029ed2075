//! What the suite asks of a server: tools, prompts and resources with names of its own.

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock,
    CreateMessageRequestParams, ElicitRequestParams, GetPromptRequestParams, GetPromptResponse,
    GetPromptResult, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListToolsResult, LoggingLevel, LoggingMessageNotificationParam, PaginatedRequestParams,
    ProgressNotificationParam, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
    SamplingMessage, ServerCapabilities, ServerConfig, SetLevelRequestParams,
    SubscribeRequestParams, UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::{ErrorData, ServerHandler};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// A red dot.
const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/// No sound at all.
const WAV: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";

pub(crate) struct Fixtures;

type Context = RequestContext<RoleServer>;

fn parsed<T: DeserializeOwned>(value: Value) -> Result<T, ErrorData> {
    serde_json::from_value(value)
        .map_err(|error| ErrorData::invalid_params(error.to_string(), None))
}

fn text(words: impl Into<String>) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(words)])
}

fn embedded(uri: &str, kind: &str, text: &str) -> Value {
    json!({ "type": "resource", "resource": { "uri": uri, "mimeType": kind, "text": text } })
}

fn tools() -> Value {
    let plain = |name: &str, properties: Value| {
        json!({
            "name": name,
            "description": "A fixture of the conformance suite",
            "inputSchema": { "type": "object", "properties": properties },
        })
    };
    let string = || json!({ "type": "string" });
    json!([
        plain("test_simple_text", json!({})),
        plain("test_image_content", json!({})),
        plain("test_audio_content", json!({})),
        plain("test_embedded_resource", json!({})),
        plain("test_multiple_content_types", json!({})),
        plain("test_tool_with_logging", json!({})),
        plain("test_error_handling", json!({})),
        plain("test_tool_with_progress", json!({})),
        plain("test_reconnection", json!({})),
        plain("test_sampling", json!({ "prompt": string() })),
        plain("test_elicitation", json!({ "message": string() })),
        plain("test_elicitation_sep1034_defaults", json!({})),
        plain("test_elicitation_sep1330_enums", json!({})),
        {
            "name": "json_schema_2020_12_tool",
            "description": "Tool with JSON Schema 2020-12 features",
            "inputSchema": {
                "$schema": "https://json-schema.org/draft/2020-12/schema",
                "type": "object",
                "$defs": { "address": {
                    "type": "object",
                    "properties": { "street": { "type": "string" }, "city": { "type": "string" } },
                } },
                "properties": {
                    "name": { "type": "string" },
                    "address": { "$ref": "#/$defs/address" },
                },
                "additionalProperties": false,
            },
        },
    ])
}

fn prompts() -> Value {
    let argument = |name: &str| json!({ "name": name, "description": "A word", "required": true });
    let prompt = |name: &str, arguments: Value| json!({ "name": name, "description": "A fixture of the conformance suite", "arguments": arguments });
    json!([
        prompt("test_simple_prompt", json!([])),
        prompt(
            "test_prompt_with_arguments",
            json!([argument("arg1"), argument("arg2")])
        ),
        prompt(
            "test_prompt_with_embedded_resource",
            json!([argument("resourceUri")])
        ),
        prompt("test_prompt_with_image", json!([])),
    ])
}

async fn logging(context: &Context) -> CallToolResult {
    for words in [
        "Tool execution started",
        "Tool processing data",
        "Tool execution completed",
    ] {
        let message = LoggingMessageNotificationParam::new(LoggingLevel::Info, json!(words));
        let _nobody_listens = context.peer.notify_logging_message(message).await;
    }
    text("Three messages were logged.")
}

async fn progress(context: &Context) -> CallToolResult {
    for percent in [0.0, 50.0, 100.0] {
        if let Some(token) = context.meta.get_progress_token() {
            let mut progress = ProgressNotificationParam::new(token, percent);
            progress.total = Some(100.0);
            let _nobody_listens = context.peer.notify_progress(progress).await;
        }
    }
    text("Done.")
}

async fn sampling(context: &Context, prompt: &str) -> Result<CallToolResult, ErrorData> {
    let message = SamplingMessage::user_text(prompt);
    let asked = CreateMessageRequestParams::new(vec![message], 100);
    let answer = context.peer.create_message(asked).await;
    let answer = answer.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    let answer = serde_json::to_value(answer).unwrap_or_default();
    Ok(text(format!("LLM response: {}", answer["content"])))
}

async fn elicitation(
    context: &Context,
    message: &str,
    properties: Value,
) -> Result<CallToolResult, ErrorData> {
    let required: Vec<&String> = properties
        .as_object()
        .into_iter()
        .flat_map(|all| all.keys())
        .collect();
    let asked: ElicitRequestParams = parsed(json!({
        "mode": "form",
        "message": message,
        "requestedSchema": { "type": "object", "properties": properties, "required": required },
    }))?;
    let answer = context.peer.create_elicitation(asked).await;
    let answer = answer.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    let answer = serde_json::to_value(answer).unwrap_or_default();
    Ok(text(format!(
        "Elicitation completed: action={}, content={}",
        answer["action"], answer["content"]
    )))
}

fn defaults() -> Value {
    json!({
        "name": { "type": "string", "default": "John Doe" },
        "age": { "type": "integer", "default": 30 },
        "score": { "type": "number", "default": 95.5 },
        "status": { "type": "string", "enum": ["active", "inactive", "pending"], "default": "active" },
        "verified": { "type": "boolean", "default": true },
    })
}

fn enums() -> Value {
    let titled = |noun: &str| {
        json!([
            { "const": "value1", "title": format!("First {noun}") },
            { "const": "value2", "title": format!("Second {noun}") },
            { "const": "value3", "title": format!("Third {noun}") },
        ])
    };
    json!({
        "untitledSingle": { "type": "string", "enum": ["option1", "option2", "option3"] },
        "titledSingle": { "type": "string", "oneOf": titled("Option") },
        "legacyEnum": {
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        "untitledMulti": {
            "type": "array",
            "items": { "type": "string", "enum": ["option1", "option2", "option3"] },
        },
        "titledMulti": { "type": "array", "items": { "anyOf": titled("Choice") } },
    })
}

impl ServerHandler for Fixtures {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_prompts()
            .enable_completions()
            .enable_logging()
            .build();
        ServerConfig::new(capabilities)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(parsed(tools())?))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: Context,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let argument = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or("");
        let content = |content: Value| -> Result<CallToolResult, ErrorData> {
            Ok(CallToolResult::success(parsed(content)?))
        };
        let image = json!({ "type": "image", "data": PNG, "mimeType": "image/png" });
        let result = match &*request.name {
            "test_simple_text" => text("This is a simple text response for testing."),
            "test_image_content" => content(json!([image]))?,
            "test_audio_content" => {
                content(json!([{ "type": "audio", "data": WAV, "mimeType": "audio/wav" }]))?
            }
            "test_embedded_resource" => content(json!([embedded(
                "test://embedded-resource",
                "text/plain",
                "This is an embedded resource content."
            )]))?,
            "test_multiple_content_types" => content(json!([
                { "type": "text", "text": "Multiple content types test:" },
                image,
                embedded(
                    "test://mixed-content-resource",
                    "application/json",
                    r#"{"test":"data","value":123}"#
                ),
            ]))?,
            "test_tool_with_logging" => logging(&context).await,
            "test_error_handling" => CallToolResult::error(vec![ContentBlock::text(
                "This tool intentionally returns an error for testing",
            )]),
            "test_tool_with_progress" => progress(&context).await,
            "test_reconnection" => text("The stream stays open."),
            "test_sampling" => sampling(&context, argument("prompt")).await?,
            "test_elicitation" => {
                let properties = json!({
                    "username": { "type": "string", "description": "User's response" },
                    "email": { "type": "string", "description": "User's email address" },
                });
                elicitation(&context, argument("message"), properties).await?
            }
            "test_elicitation_sep1034_defaults" => {
                elicitation(&context, "Please check these", defaults()).await?
            }
            "test_elicitation_sep1330_enums" => {
                elicitation(&context, "Please choose", enums()).await?
            }
            "json_schema_2020_12_tool" => text("Only its schema matters."),
            name => {
                return Err(ErrorData::invalid_params(
                    format!("there is no tool {name:?}"),
                    None,
                ));
            }
        };
        Ok(result.into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListResourcesResult, ErrorData> {
        let resource = |uri: &str, kind: &str| json!({ "uri": uri, "name": uri, "description": "A fixture", "mimeType": kind });
        let all = json!([
            resource("test://static-text", "text/plain"),
            resource("test://static-binary", "image/png"),
            resource("test://watched-resource", "text/plain"),
        ]);
        Ok(ListResourcesResult::with_all_items(parsed(all)?))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let template = json!([{
            "uriTemplate": "test://template/{id}/data",
            "name": "template",
            "description": "A fixture",
            "mimeType": "application/json",
        }]);
        Ok(ListResourceTemplatesResult::with_all_items(parsed(
            template,
        )?))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: Context,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri.as_str();
        let id = uri
            .strip_prefix("test://template/")
            .and_then(|rest| rest.strip_suffix("/data"));
        let contents = match (uri, id) {
            ("test://static-text", _) => json!({
                "uri": uri, "mimeType": "text/plain",
                "text": "This is the content of the static text resource.",
            }),
            ("test://static-binary", _) => {
                json!({ "uri": uri, "mimeType": "image/png", "blob": PNG })
            }
            ("test://watched-resource", _) => {
                json!({ "uri": uri, "mimeType": "text/plain", "text": "watched" })
            }
            (_, Some(id)) => {
                let data =
                    json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
                json!({ "uri": uri, "mimeType": "application/json", "text": data.to_string() })
            }
            _ => return Err(ErrorData::resource_not_found(uri.to_owned(), None)),
        };
        Ok(ReadResourceResult::new(vec![parsed(contents)?]).into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(parsed(prompts())?))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: Context,
    ) -> Result<GetPromptResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let argument = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or("");
        let say = |words: &str| json!({ "type": "text", "text": words });
        let contents = match request.name.as_str() {
            "test_simple_prompt" => vec![say("This is a simple prompt for testing.")],
            "test_prompt_with_arguments" => vec![say(&format!(
                "Prompt with arguments: arg1='{}', arg2='{}'",
                argument("arg1"),
                argument("arg2")
            ))],
            "test_prompt_with_embedded_resource" => vec![
                embedded(
                    argument("resourceUri"),
                    "text/plain",
                    "Embedded resource content for testing.",
                ),
                say("Please process the embedded resource above."),
            ],
            "test_prompt_with_image" => vec![
                json!({ "type": "image", "data": PNG, "mimeType": "image/png" }),
                say("Please analyze the image above."),
            ],
            name => {
                return Err(ErrorData::invalid_params(
                    format!("there is no prompt {name:?}"),
                    None,
                ));
            }
        };
        let messages = contents
            .into_iter()
            .map(|content| json!({ "role": "user", "content": content }));
        let messages: Vec<Value> = messages.collect();
        let result: GetPromptResult = parsed(json!({ "messages": messages }))?;
        Ok(result.into())
    }

    async fn set_level(&self, _: SetLevelRequestParams, _: Context) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn subscribe(&self, _: SubscribeRequestParams, _: Context) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn unsubscribe(&self, _: UnsubscribeRequestParams, _: Context) -> Result<(), ErrorData> {
        Ok(())
    }
}
