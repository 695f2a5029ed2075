//! Messages, read leniently and written exactly.

use std::borrow::Cow;

use agent_client_protocol_schema::v1::{Error, RequestId};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use serde_json::error::Category;
use serde_json::value::RawValue;

/// What the client says to a request of ours.
pub(crate) type Answer = Result<Box<RawValue>, Error>;

/// A message of the client.
#[derive(Debug)]
pub(crate) enum Incoming {
    Request {
        id: RequestId,
        method: String,
        params: Box<RawValue>,
    },
    Notification {
        method: String,
        params: Box<RawValue>,
    },
    Response {
        id: RequestId,
        answer: Answer,
    },
}

/// A line that is no message, and whose fault that is.
#[derive(Debug)]
pub(crate) struct Refused {
    /// As far as it can be told.
    pub(crate) id: RequestId,
    pub(crate) error: Box<Error>,
}

#[derive(Deserialize)]
struct Members<'a> {
    #[serde(default, deserialize_with = "present")]
    id: Option<Value>,
    #[serde(default, borrow)]
    method: Option<Cow<'a, str>>,
    #[serde(default, borrow)]
    params: Option<&'a RawValue>,
    #[serde(default, borrow, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(default, borrow)]
    error: Option<&'a RawValue>,
}

/// A `null` that is there is something else than nothing.
fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Option<T>, D::Error> {
    T::deserialize(from).map(Some)
}

pub(crate) fn parse(line: &[u8]) -> Result<Incoming, Refused> {
    let members: Members<'_> = serde_json::from_slice(line).map_err(|error| Refused {
        id: RequestId::Null,
        error: Box::new(match error.classify() {
            Category::Syntax | Category::Eof | Category::Io => {
                Error::parse_error().data(error.to_string())
            }
            Category::Data => invalid("a message is an object, with each member once"),
        }),
    })?;
    let id = members.id.map(id_of).transpose()?;
    match (members.method, id) {
        (Some(method), Some(id)) => Ok(Incoming::Request {
            id,
            method: method.into_owned(),
            params: params(members.params),
        }),
        (Some(method), None) => Ok(Incoming::Notification {
            method: method.into_owned(),
            params: params(members.params),
        }),
        (None, Some(id)) => match (members.result, members.error) {
            (_, Some(error)) => Ok(Incoming::Response {
                id,
                answer: Err(failure(error)),
            }),
            (Some(result), None) => Ok(Incoming::Response {
                id,
                answer: Ok(result.to_owned()),
            }),
            (None, None) => Err(Refused {
                id,
                error: Box::new(invalid("a message has a method, a result or an error")),
            }),
        },
        (None, None) => Err(Refused {
            id: RequestId::Null,
            error: Box::new(invalid("a message has a method or an id")),
        }),
    }
}

fn id_of(value: Value) -> Result<RequestId, Refused> {
    serde_json::from_value(value).map_err(|_| Refused {
        id: RequestId::Null,
        error: Box::new(invalid("an id is a whole number or a text")),
    })
}

/// Methods without parameters may come without any.
fn params(given: Option<&RawValue>) -> Box<RawValue> {
    match given {
        Some(params) => params.to_owned(),
        None => serde_json::value::to_raw_value(&serde_json::Map::new()).unwrap_or_default(),
    }
}

/// An error that does not look like one is an error all the same.
fn failure(error: &RawValue) -> Error {
    serde_json::from_str(error.get()).unwrap_or_else(|_| Error::internal_error().data(error.get()))
}

fn invalid(reason: &str) -> Error {
    let code = Error::invalid_request().code;
    Error::new(code.into(), reason)
}

#[derive(Serialize)]
struct Call<'a, T> {
    jsonrpc: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<i64>,
    method: &'static str,
    params: &'a T,
}

#[derive(Serialize)]
struct Reply<'a, T> {
    jsonrpc: &'static str,
    id: &'a RequestId,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<&'a T>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a Error>,
}

const VERSION: &str = "2.0";

pub(crate) fn request(id: i64, method: &'static str, params: &impl Serialize) -> Vec<u8> {
    line(&Call {
        jsonrpc: VERSION,
        id: Some(id),
        method,
        params,
    })
}

pub(crate) fn notification(method: &'static str, params: &impl Serialize) -> Vec<u8> {
    line(&Call {
        jsonrpc: VERSION,
        id: None,
        method,
        params,
    })
}

pub(crate) fn response(id: &RequestId, result: &impl Serialize) -> Vec<u8> {
    line(&Reply {
        jsonrpc: VERSION,
        id,
        result: Some(result),
        error: None,
    })
}

pub(crate) fn refusal(id: &RequestId, error: &Error) -> Vec<u8> {
    line(&Reply::<()> {
        jsonrpc: VERSION,
        id,
        result: None,
        error: Some(error),
    })
}

/// JSON has no bare line break, so a line holds all of it.
fn line(message: &impl Serialize) -> Vec<u8> {
    let mut line = serde_json::to_vec(message).unwrap_or_default();
    line.push(b'\n');
    line
}

#[cfg(test)]
mod tests;
