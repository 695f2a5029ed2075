//! Is there an Ollama on this machine, and what does it have?

use std::time::Duration;

use bytes::Bytes;
use reqwest::Method;
use serde_json::Value;
use tokio::time::timeout;

use crate::http::{CustomHeaders, Endpoint, Exchange, Http};

/// Nobody should wait for something that is probably not there.
const PATIENCE: Duration = Duration::from_millis(500);
const DEFAULT_PORT: u16 = 11434;
/// A list of models is short.
const LONGEST_LIST: usize = 4 << 20;

/// A server that answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ollama {
    /// For [`OpenAiConfig::new`](crate::OpenAiConfig::new).
    pub base_url: String,
    /// As the server lists them: the most recently changed first.
    pub models: Vec<String>,
}

/// Looks for a server at `host`, which is `OLLAMA_HOST` or nothing. `None` when none answers in time.
pub async fn find_ollama(http: &Http, host: Option<&str>) -> Option<Ollama> {
    timeout(PATIENCE, ask(http, &address(host.unwrap_or_default())))
        .await
        .ok()?
}

/// Where its chat completions are, by `OLLAMA_HOST` or nothing; for [`OpenAiConfig::new`](crate::OpenAiConfig::new).
pub fn ollama_base_url(host: Option<&str>) -> String {
    format!("{}/v1", address(host.unwrap_or_default()))
}

/// How many tokens a model takes there: as many as it was set up with, else as it was made for. `None` when the server
/// does not say so in time.
pub async fn ollama_window(http: &Http, host: Option<&str>, model: &str) -> Option<u64> {
    let address = address(host.unwrap_or_default());
    let body = serde_json::to_vec(&serde_json::json!({ "model": model })).ok()?;
    let asked = send(http, &address, "show", Method::POST, body.into());
    let shown = timeout(PATIENCE, asked).await.ok()??;
    let parameters = shown.get("parameters").and_then(Value::as_str);
    let set_up = parameters
        .into_iter()
        .flat_map(str::lines)
        .find_map(|line| {
            let mut words = line.split_whitespace();
            (words.next()? == "num_ctx").then(|| words.next()?.parse().ok())?
        });
    let made_for = || {
        let facts = shown.get("model_info")?.as_object()?;
        let named = facts
            .iter()
            .find(|(name, _)| name.ends_with(".context_length"));
        named?.1.as_u64()
    };
    set_up.or_else(made_for).filter(|tokens| *tokens > 0)
}

async fn send(
    http: &Http,
    address: &str,
    question: &str,
    method: Method,
    body: Bytes,
) -> Option<Value> {
    let endpoint = Endpoint::new(address, None, &CustomHeaders::default()).ok()?;
    let exchange = Exchange {
        http: http.clone(),
        url: endpoint.url(&["api", question]),
        endpoint,
        method,
        body,
    };
    let body = exchange.send().await.ok()?.whole(LONGEST_LIST).await.ok()?;
    serde_json::from_slice(&body).ok()
}

async fn ask(http: &Http, address: &str) -> Option<Ollama> {
    let tags = send(http, address, "tags", Method::GET, Bytes::new()).await?;
    let name = |model: &Value| model.get("name")?.as_str().map(str::to_owned);
    let models = tags.get("models")?.as_array()?;
    Some(Ollama {
        base_url: format!("{address}/v1"),
        models: models.iter().filter_map(name).collect(),
    })
}

/// Everything that Ollama itself takes: nothing, a host, a port, both, or a URL. An address to listen at is not one
/// to connect to, so `0.0.0.0` means this machine.
fn address(host: &str) -> String {
    let host = host.trim().trim_end_matches('/');
    let (scheme, rest) = host.split_once("://").unwrap_or(("http", host));
    let has_scheme = host.contains("://");
    let (name, port) = match rest.rsplit_once(':') {
        // The colons of a bare IPv6 address are no ports.
        Some((name, port))
            if !port.contains(']') && (name.starts_with('[') || !name.contains(':')) =>
        {
            (name, port.parse::<u16>().ok())
        }
        _ => (rest, None),
    };
    let name = match name {
        "" | "0.0.0.0" | "[::]" | "::" => "127.0.0.1".to_owned(),
        bare if bare.contains(':') && !bare.starts_with('[') => format!("[{bare}]"),
        name => name.to_owned(),
    };
    match (port, scheme) {
        (Some(port), _) => format!("{scheme}://{name}:{port}"),
        (None, "https") if has_scheme => format!("https://{name}"),
        (None, "http") if has_scheme => format!("http://{name}:80"),
        (None, _) => format!("{scheme}://{name}:{DEFAULT_PORT}"),
    }
}

#[cfg(test)]
mod tests;
