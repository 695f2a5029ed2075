//! What a server has, for somebody who has not named a model.

use std::time::Duration;

use bytes::Bytes;
use reqwest::Method;
use serde_json::Value;
use tokio::time::timeout;

use crate::ApiKey;
use crate::http::{CustomHeaders, Endpoint, Exchange, Http, KeyHeader};

const PATIENCE: Duration = Duration::from_secs(1);
/// A list of models is short.
const LONGEST_LIST: usize = 4 << 20;

/// The first model that a chat-completions server lists. `None` when it lists none in time.
pub async fn first_model(http: &Http, base_url: &str, key: Option<&ApiKey>) -> Option<String> {
    timeout(PATIENCE, ask(http, base_url, key)).await.ok()?
}

async fn ask(http: &Http, base_url: &str, key: Option<&ApiKey>) -> Option<String> {
    let key = key.map(|key| (key, KeyHeader::Bearer));
    let endpoint = Endpoint::new(base_url, key, &CustomHeaders::default()).ok()?;
    let exchange = Exchange {
        http: http.clone(),
        url: endpoint.url(&["models"]),
        endpoint,
        method: Method::GET,
        body: Bytes::new(),
    };
    let body = exchange.send().await.ok()?.whole(LONGEST_LIST).await.ok()?;
    let list: Value = serde_json::from_slice(&body).ok()?;
    let first = list.get("data")?.as_array()?.first()?;
    first.get("id")?.as_str().map(str::to_owned)
}
