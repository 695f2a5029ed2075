//! A token for the next hour, without anybody signing in again.
//!
//! The library could do this only after it had asked the server for everything anew. The twin writes down where tokens
//! come from, so one request is enough.

use http::header::{ACCEPT, CONTENT_TYPE};
use http::{Method, StatusCode};
use pollux_model::Http;
use url::{Url, form_urlencoded};

use super::credentials::{Credentials, Token, now, without_query};
use super::requests::{RequestError, Requests};
use super::settings::OAuthSettings;

pub(super) enum Refreshed {
    New(Box<Credentials>),
    /// The server does not want to, or there is nothing to ask it with: somebody has to sign in.
    Refused,
    /// It cannot be asked at the moment.
    NotNow,
}

pub(super) async fn refresh(
    http: &Http,
    server: &Url,
    settings: &OAuthSettings,
    old: &Credentials,
) -> Refreshed {
    let (Some(refresh_token), Some(token_url)) = (&old.token.refresh_token, &old.token_url) else {
        return match old.is_over(now()) {
            true => Refreshed::Refused,
            false => Refreshed::NotNow,
        };
    };
    let form = form(server, settings, old, refresh_token);
    let request = http::Request::builder()
        .method(Method::POST)
        .uri(token_url)
        .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
        .header(ACCEPT, "application/json")
        .body(form.into_bytes());
    let Ok(request) = request else {
        return Refreshed::Refused;
    };
    let answer = async { Requests::of(http, server).await?.send(request).await }.await;
    let answer = match answer {
        Ok(answer) => answer,
        Err(error) => {
            tracing::warn!(%error, "a token cannot be renewed");
            return match error {
                RequestError::Address(_) => Refreshed::Refused,
                _ => Refreshed::NotNow,
            };
        }
    };
    // These two say nothing about the token.
    let is_busy = matches!(
        answer.status(),
        StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS
    );
    if answer.status().is_client_error() && !is_busy {
        return Refreshed::Refused;
    }
    if !answer.status().is_success() {
        return Refreshed::NotNow;
    }
    let token = serde_json::from_slice(answer.body()).ok();
    let token = token.and_then(|answer| Token::of_answer(&answer));
    let Some(token) = token else {
        return Refreshed::Refused;
    };
    let scope = token.scope.clone().or_else(|| old.token.scope.clone());
    Refreshed::New(Box::new(Credentials {
        token: Token { scope, ..token },
        updated_at: now(),
        ..old.clone()
    }))
}

fn form(server: &Url, settings: &OAuthSettings, old: &Credentials, refresh_token: &str) -> String {
    let mut form = form_urlencoded::Serializer::new(String::new());
    form.append_pair("grant_type", "refresh_token");
    form.append_pair("refresh_token", refresh_token);
    if let Some(id) = settings.client_id.as_ref().or(old.client_id.as_ref()) {
        form.append_pair("client_id", id);
    }
    // The secret belongs to the client that was registered, and to no other.
    let kept = match &settings.client_id {
        None => old.client_secret.as_ref(),
        Some(_) => None,
    };
    if let Some(secret) = settings.client_secret.as_ref().or(kept) {
        form.append_pair("client_secret", secret);
    }
    if !settings.scopes.is_empty() {
        form.append_pair("scope", &settings.scopes.join(" "));
    }
    if !settings.audiences.is_empty() {
        form.append_pair("audience", &settings.audiences.join(" "));
    }
    form.append_pair("resource", without_query(server.clone()).as_str());
    form.finish()
}
