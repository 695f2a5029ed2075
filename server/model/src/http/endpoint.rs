//! Where requests go and what they carry: an address, headers, and the secrets among them.

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use reqwest::Url;
use reqwest::header::{
    AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, USER_AGENT,
};

use super::configuration;
use crate::secret::Secrets;
use crate::{ApiKey, ErrorText, ModelError};

/// Headers that a setting adds to every request. Their values may be secrets, so `Debug` shows the names only.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct CustomHeaders(Vec<(String, String)>);

impl CustomHeaders {
    /// Reads `Name: value, Other: value`. A comma inside a value stays in it unless `Name:` follows.
    pub fn parse(text: &str) -> Self {
        let mut entries: Vec<String> = Vec::new();
        for piece in text.split(',') {
            match entries.last_mut() {
                Some(entry) if !piece.contains(':') => {
                    entry.push(',');
                    entry.push_str(piece);
                }
                _ => entries.push(piece.to_owned()),
            }
        }
        let headers = entries.iter().filter_map(|entry| {
            let (name, value) = entry.split_once(':')?;
            let name = name.trim();
            (!name.is_empty()).then(|| (name.to_owned(), value.trim().to_owned()))
        });
        Self(headers.collect())
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

impl fmt::Debug for CustomHeaders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.iter().map(|(name, _)| name))
            .finish()
    }
}

/// In which header the key travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyHeader {
    Goog,
    Bearer,
}

/// A checked address with everything that is sent to it. The key goes nowhere else.
#[derive(Clone)]
pub(crate) struct Endpoint(Arc<Inner>);

struct Inner {
    base: Url,
    headers: HeaderMap,
    secrets: Secrets,
}

impl Endpoint {
    pub(crate) fn new(
        base: &str,
        key: Option<(&ApiKey, KeyHeader)>,
        custom: &CustomHeaders,
    ) -> Result<Self, ModelError> {
        let base = parse_base(base)?;
        let mut secrets = Secrets::default();
        secrets.add(base.password().unwrap_or_default());
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let agent = concat!("Pollux/", env!("CARGO_PKG_VERSION"));
        headers.insert(USER_AGENT, HeaderValue::from_static(agent));
        if let Some((key, header)) = key {
            secrets.add(key.expose());
            let (name, value) = match header {
                KeyHeader::Goog => (
                    HeaderName::from_static("x-goog-api-key"),
                    key.expose().to_owned(),
                ),
                KeyHeader::Bearer => (AUTHORIZATION, format!("Bearer {}", key.expose())),
            };
            let mut value = HeaderValue::try_from(value).map_err(|_shows_nothing| {
                configuration("the API key has characters that no key has")
            })?;
            value.set_sensitive(true);
            headers.insert(name, value);
        }
        for (name, value) in custom.iter() {
            secrets.add(value);
            let unusable = || configuration(&format!("the custom header {name:?} cannot be sent"));
            let header = HeaderName::try_from(name).map_err(|_| unusable())?;
            let mut value = HeaderValue::try_from(value).map_err(|_| unusable())?;
            value.set_sensitive(true);
            headers.insert(header, value);
        }
        Ok(Self(Arc::new(Inner {
            base,
            headers,
            secrets,
        })))
    }

    /// The address of something under the base. Segments are escaped, so that a model's name cannot leave its place.
    pub(crate) fn url(&self, segments: &[&str]) -> Url {
        let mut url = self.0.base.clone();
        // Only addresses such as `mailto:` have no segments; they were refused.
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(segments);
        }
        url
    }

    pub(crate) fn headers(&self) -> &HeaderMap {
        &self.0.headers
    }

    /// A text from outside, fit to be shown.
    pub(crate) fn text(&self, text: &str) -> ErrorText {
        ErrorText::new(&self.0.secrets.remove_from(text))
    }

    /// `host:port`, without the user and password that an address may hold.
    pub(crate) fn host(&self) -> String {
        let host = self.0.base.host_str().unwrap_or_default();
        match self.0.base.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        }
    }

    /// A key may travel in clear text within this machine only.
    pub(crate) fn require_https(self) -> Result<Self, ModelError> {
        if self.0.base.scheme() == "https" || is_loopback(&self.0.base) {
            Ok(self)
        } else {
            let host = self.host();
            Err(configuration(&format!(
                "the address of {host} must begin with https"
            )))
        }
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint")
            .field("host", &self.host())
            .finish_non_exhaustive()
    }
}

fn parse_base(base: &str) -> Result<Url, ModelError> {
    // The text itself stays out of the message: it may hold a password.
    let url = Url::parse(base.trim())
        .map_err(|error| configuration(&format!("the base URL cannot be read: {error}")))?;
    match url.scheme() {
        "http" | "https" => Ok(url),
        other => Err(configuration(&format!(
            "the base URL begins with {other:?}, not with http"
        ))),
    }
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost"
        || host
            .parse::<IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}
