//! What authorization servers answer, made to look like what the library reads.

#[cfg(test)]
mod tests;

use serde_json::{Map, Value};
use url::{Url, form_urlencoded};

/// The answer to a request for a token, as JSON. Some servers write a form instead, leave the type out, or put
/// numbers into quotes. Nothing for what is no such answer.
pub(super) fn token_answer(body: &[u8]) -> Option<Value> {
    let mut answer = match serde_json::from_slice(body) {
        Ok(Value::Object(answer)) => answer,
        Ok(_) => return None,
        Err(_) => form_urlencoded::parse(body)
            .map(|(name, value)| (name.into_owned(), Value::from(value.into_owned())))
            .collect::<Map<_, _>>(),
    };
    if !answer.contains_key("access_token") && !answer.contains_key("error") {
        return None;
    }
    answer.retain(|_, value| !value.is_null());
    if let Some(Value::String(seconds)) = answer.get("expires_in") {
        match seconds.trim().parse::<u64>() {
            Ok(seconds) => answer.insert("expires_in".to_owned(), Value::from(seconds)),
            Err(_) => answer.shift_remove("expires_in"),
        };
    }
    if answer.contains_key("access_token") && !answer.contains_key("token_type") {
        answer.insert("token_type".to_owned(), Value::from("Bearer"));
    }
    Some(Value::Object(answer))
}

/// The name of the resource that a page of metadata is about, where it is about another one than the server.
pub(super) fn foreign_resource(server: &Url, body: &[u8]) -> Option<String> {
    let page: Value = serde_json::from_slice(body).ok()?;
    let resource = page.get("resource")?.as_str()?;
    let is_ours = Url::parse(resource).is_ok_and(|resource| covers(&resource, server));
    (!is_ours).then(|| resource.chars().take(200).collect())
}

/// A resource may be the server itself or a folder that it lies in.
fn covers(resource: &Url, server: &Url) -> bool {
    let folder = resource.path().trim_end_matches('/');
    let rest = server.path().strip_prefix(folder);
    resource.origin() == server.origin()
        && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
