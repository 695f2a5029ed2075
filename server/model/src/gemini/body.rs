//! The request as Gemini wants it: exactly the keys below, always in this order, so that equal conversations give
//! equal bytes and the provider's cache can work.

use std::borrow::Cow;

use bytes::Bytes;
use serde::Serialize;
use serde_json::{Map, Value};

use super::thought;
use crate::{Content, ModelError, Part, Request, Role, limits};

/// Where a generation config names tools of the service.
const SERVED_TOOLS: &str = "tools";

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct GenerateBody<'request> {
    contents: Vec<WireContent<'request>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    system_instruction: Option<WireContent<'request>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<Vec<Tool<'request>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    generation_config: Option<Cow<'request, Map<String, Value>>>,
}

#[derive(Serialize)]
struct CountBody<'request> {
    contents: Vec<WireContent<'request>>,
}

#[derive(Serialize)]
struct WireContent<'request> {
    role: &'static str,
    parts: Vec<WirePart<'request>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum WirePart<'request> {
    #[serde(rename_all = "camelCase")]
    Text {
        text: &'request str,
        #[serde(skip_serializing_if = "Option::is_none")]
        thought_signature: Option<&'request str>,
    },
    Thought {
        text: String,
        thought: bool,
    },
    #[serde(rename_all = "camelCase")]
    Call {
        function_call: Call<'request>,
        #[serde(skip_serializing_if = "Option::is_none")]
        thought_signature: Option<&'request str>,
    },
    #[serde(rename_all = "camelCase")]
    Response {
        function_response: Response<'request>,
    },
    #[serde(rename_all = "camelCase")]
    Data {
        inline_data: Data<'request>,
    },
}

#[derive(Serialize)]
struct Call<'request> {
    name: &'request str,
    args: &'request Map<String, Value>,
    id: &'request str,
}

#[derive(Serialize)]
struct Response<'request> {
    name: &'request str,
    id: &'request str,
    response: &'request Map<String, Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    parts: Vec<WirePart<'request>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Data<'request> {
    mime_type: &'request str,
    data: &'request str,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Tool<'request> {
    #[serde(rename_all = "camelCase")]
    Functions {
        function_declarations: Vec<Declaration<'request>>,
    },
    /// A tool of the service itself, such as its web search.
    Served(&'request Value),
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Declaration<'request> {
    name: &'request str,
    description: &'request str,
    parameters_json_schema: &'request Value,
}

/// `model` decides where what tools show is put.
pub(super) fn generate(request: &Request, model: &str) -> Result<Bytes, ModelError> {
    let instruction = request.system_instruction.as_deref();
    let instruction = instruction.filter(|text| !text.is_empty());
    write(&GenerateBody {
        contents: contents(request, model)?,
        system_instruction: instruction.map(|text| WireContent {
            role: "user",
            parts: vec![WirePart::Text {
                text,
                thought_signature: None,
            }],
        }),
        tools: tools(request),
        generation_config: Some(generation_config(&request.generation))
            .filter(|config| !config.is_empty()),
    })
}

pub(super) fn count_tokens(request: &Request, model: &str) -> Result<Bytes, ModelError> {
    let contents = contents(request, model)?;
    write(&CountBody { contents })
}

/// Providers refuse a content without parts, and a conversation without contents.
fn contents<'request>(
    request: &'request Request,
    model: &str,
) -> Result<Vec<WireContent<'request>>, ModelError> {
    let shown = Shown::by(model);
    let with_parts = request
        .contents
        .iter()
        .filter(|content| !content.parts.is_empty());
    let contents: Vec<_> = with_parts.map(|held| content(held, shown)).collect();
    if contents.is_empty() {
        return Err(ModelError::NoPrompt);
    }
    Ok(contents)
}

/// Where images and documents of a tool's result are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shown {
    /// In the result: newer models know what belongs to which call.
    Within,
    Beside,
}

impl Shown {
    fn by(model: &str) -> Self {
        match model.starts_with("gemini-3-") {
            true => Self::Within,
            false => Self::Beside,
        }
    }
}

fn content(content: &Content, shown: Shown) -> WireContent<'_> {
    let mut parts: Vec<WirePart<'_>> = Vec::with_capacity(content.parts.len());
    for held in &content.parts {
        let is_picture = matches!(held, Part::InlineData(data) if can_be_within(&data.mime_type));
        match parts.last_mut() {
            Some(WirePart::Response { function_response })
                if is_picture && shown == Shown::Within =>
            {
                function_response.parts.push(part(held));
            }
            _ => parts.push(part(held)),
        }
    }
    WireContent {
        role: match content.role {
            Role::User => "user",
            Role::Model => "model",
        },
        parts,
    }
}

/// Sound and film are not accepted there.
fn can_be_within(mime_type: &str) -> bool {
    mime_type.starts_with("image/") || mime_type == "application/pdf"
}

fn part(part: &Part) -> WirePart<'_> {
    match part {
        Part::Text(text) => WirePart::Text {
            text,
            thought_signature: None,
        },
        Part::SignedText(signed) => WirePart::Text {
            text: &signed.text,
            thought_signature: Some(&signed.signature),
        },
        Part::Thought(thought) => WirePart::Thought {
            text: thought::write(thought),
            thought: true,
        },
        Part::FunctionCall(call) => WirePart::Call {
            function_call: Call {
                name: &call.name,
                args: &call.args,
                id: call.id.as_str(),
            },
            thought_signature: call.signature.as_deref(),
        },
        Part::FunctionResponse(response) => WirePart::Response {
            function_response: Response {
                name: &response.name,
                id: response.id.as_str(),
                response: &response.response,
                parts: Vec::new(),
            },
        },
        Part::InlineData(inline) => WirePart::Data {
            inline_data: Data {
                mime_type: &inline.mime_type,
                data: &inline.data,
            },
        },
    }
}

fn tools(request: &Request) -> Option<Vec<Tool<'_>>> {
    let declarations = request.tools.iter().map(|tool| Declaration {
        name: &tool.name,
        description: &tool.description,
        parameters_json_schema: &tool.parameters,
    });
    let mut tools = Vec::new();
    if !request.tools.is_empty() {
        tools.push(Tool::Functions {
            function_declarations: declarations.collect(),
        });
    }
    let served = request.generation.get(SERVED_TOOLS);
    let served = served.and_then(Value::as_array);
    tools.extend(served.into_iter().flatten().map(Tool::Served));
    (!tools.is_empty()).then_some(tools)
}

/// An alias keeps its tools among the parameters; the service wants them elsewhere.
fn generation_config(generation: &Map<String, Value>) -> Cow<'_, Map<String, Value>> {
    if !generation.contains_key(SERVED_TOOLS) {
        return Cow::Borrowed(generation);
    }
    let mut config = generation.clone();
    config.shift_remove(SERVED_TOOLS);
    Cow::Owned(config)
}

fn write(body: &impl Serialize) -> Result<Bytes, ModelError> {
    // Strings as keys, no foreign types: writing cannot fail, but the compiler does not know.
    let impossible = |error: serde_json::Error| ModelError::BadRequest {
        message: error.to_string().into(),
    };
    let body = serde_json::to_vec(body).map_err(impossible)?;
    limits::check_request(body.len())?;
    Ok(Bytes::from(body))
}
