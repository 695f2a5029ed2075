//! Pages of the web, for whoever reads them on a model's behalf. A model can be talked into asking for anything, so
//! there is no way from here into this machine or the network around it.

mod reach;

#[cfg(test)]
mod tests;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{CONTENT_TYPE, LOCATION};
use reqwest::{Client, Url};
use url::Host;

pub use reach::Reach;

use crate::ModelError;
use crate::http::{Http, NetworkOptions, configuration, web_client};

/// Reads pages. Clones share their connections.
#[derive(Clone, Debug)]
pub struct WebClient {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    options: NetworkOptions,
    reach: Reach,
    limits: WebLimits,
    client: OnceLock<Result<Client, WebError>>,
}

/// How much a page may take.
#[derive(Clone, Copy, Debug)]
pub struct WebLimits {
    /// For all of it: names, redirects and the body.
    pub time: Duration,
    pub bytes: usize,
    pub redirects: usize,
}

impl Default for WebLimits {
    fn default() -> Self {
        Self {
            time: Duration::from_secs(10),
            bytes: 10 * 1024 * 1024,
            redirects: 10,
        }
    }
}

/// A page as it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebPage {
    /// After all redirects.
    pub url: String,
    pub status: u16,
    /// Without parameters, in lower case: `text/html`.
    pub content_type: Option<String>,
    /// In lower case.
    pub charset: Option<String>,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

/// Why there is no page.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WebError {
    #[error("it is not the address of a page")]
    NotAnAddress,
    #[error("{host} is not on the public web")]
    Blocked { host: String },
    #[error("the name {host} cannot be resolved")]
    Unresolved { host: String },
    #[error("it redirects more than {limit} times")]
    TooManyRedirects { limit: usize },
    #[error("it has more than {limit} bytes")]
    TooLarge { limit: usize },
    #[error("it took longer than {limit:?}")]
    TooSlow { limit: Duration },
    #[error("it cannot be fetched: {reason}")]
    Network { reason: String },
}

impl WebClient {
    pub fn new(options: NetworkOptions, reach: Reach, limits: WebLimits) -> Self {
        Self {
            shared: Arc::new(Shared {
                options,
                reach,
                limits,
                client: OnceLock::new(),
            }),
        }
    }

    /// Whether a page may be asked for: its host must have an address, and every one of them must be public.
    pub async fn check(&self, url: &str) -> Result<(), WebError> {
        let limit = self.shared.limits.time;
        let checking = self.shared.check(url);
        let checked = tokio::time::timeout(limit, checking).await;
        checked
            .map_err(|_elapsed| WebError::TooSlow { limit })?
            .map(drop)
    }

    /// Fetches a page, whatever its status. Every redirect is checked as if it had been asked for.
    pub async fn get(&self, url: &str) -> Result<WebPage, WebError> {
        let limit = self.shared.limits.time;
        let fetching = self.shared.get(url);
        let fetched = tokio::time::timeout(limit, fetching).await;
        fetched.map_err(|_elapsed| WebError::TooSlow { limit })?
    }
}

impl Shared {
    async fn check(&self, url: &str) -> Result<Url, WebError> {
        let url = Url::parse(url).map_err(|_| WebError::NotAnAddress)?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(WebError::NotAnAddress);
        }
        let blocked = |host: &Host<&str>| WebError::Blocked {
            host: host.to_string(),
        };
        match url.host().ok_or(WebError::NotAnAddress)? {
            host @ Host::Ipv4(address) if !self.reach.admits(address.into()) => Err(blocked(&host)),
            host @ Host::Ipv6(address) if !self.reach.admits(address.into()) => Err(blocked(&host)),
            Host::Ipv4(_) | Host::Ipv6(_) => Ok(url),
            Host::Domain(name) => {
                resolved(name, self.reach).await?;
                Ok(url)
            }
        }
    }

    async fn get(self: &Arc<Self>, url: &str) -> Result<WebPage, WebError> {
        let mut url = self.check(url).await?;
        for _ in 0..=self.limits.redirects {
            let client = self.client().await?;
            let response = client.get(url.clone()).send().await.map_err(network)?;
            let target = response.headers().get(LOCATION);
            let target = target.filter(|_| response.status().is_redirection());
            match target.and_then(|target| target.to_str().ok()) {
                None => return self.page(response).await,
                Some(target) => {
                    let next = url.join(target).map_err(|_| WebError::NotAnAddress)?;
                    url = self.check(next.as_str()).await?;
                }
            }
        }
        let limit = self.limits.redirects;
        Err(WebError::TooManyRedirects { limit })
    }

    async fn page(&self, mut response: reqwest::Response) -> Result<WebPage, WebError> {
        let limit = self.limits.bytes;
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(network)? {
            if body.len() + chunk.len() > limit {
                return Err(WebError::TooLarge { limit });
            }
            body.extend_from_slice(&chunk);
        }
        let headers = response.headers().iter().filter_map(|(name, value)| {
            Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned()))
        });
        let described = response.headers().get(CONTENT_TYPE);
        let described = described.and_then(|value| value.to_str().ok());
        let described = described.unwrap_or_default().to_ascii_lowercase();
        let mut pieces = described.split(';').map(str::trim);
        let content_type = pieces.next().filter(|kind| !kind.is_empty());
        let charset = pieces.find_map(|piece| piece.strip_prefix("charset="));
        Ok(WebPage {
            url: response.url().to_string(),
            status: response.status().as_u16(),
            content_type: content_type.map(str::to_owned),
            charset: charset.map(|name| name.trim_matches('"').to_owned()),
            headers: headers.collect(),
            body,
        })
    }

    /// Built with the first page: reading the system's certificates takes a while.
    async fn client(self: &Arc<Self>) -> Result<Client, WebError> {
        if let Some(client) = self.client.get() {
            return client.clone();
        }
        let shared = Arc::clone(self);
        let building = tokio::task::spawn_blocking(move || {
            let build = || {
                let resolver = Checked {
                    reach: shared.reach,
                    proxy: shared.options.proxy_host(),
                };
                web_client(&shared.options, Arc::new(resolver)).map_err(|error| WebError::Network {
                    reason: error.to_string(),
                })
            };
            shared.client.get_or_init(build).clone()
        });
        building.await.unwrap_or_else(|_panicked| {
            Err(WebError::Network {
                reason: "the client cannot be built".to_owned(),
            })
        })
    }
}

impl Http {
    /// A client that connects to the public web and follows nothing by itself, for addresses that a stranger has named.
    pub async fn client_within(&self, reach: Reach) -> Result<Client, ModelError> {
        let http = self.clone();
        let building = tokio::task::spawn_blocking(move || {
            let resolver = Checked {
                reach,
                proxy: http.options().proxy_host(),
            };
            web_client(http.options(), Arc::new(resolver))
        });
        building
            .await
            .unwrap_or_else(|_panicked| Err(configuration("the client cannot be built")))
    }
}

/// The addresses of a name, if every one of them may be reached.
async fn resolved(name: &str, reach: Reach) -> Result<Vec<std::net::SocketAddr>, WebError> {
    let blocked = || WebError::Blocked {
        host: name.to_owned(),
    };
    if !reach.admits_name(name) {
        return Err(blocked());
    }
    let unresolved = || WebError::Unresolved {
        host: name.to_owned(),
    };
    let found = tokio::net::lookup_host((name, 0)).await;
    let found: Vec<_> = found.map_err(|_| unresolved())?.collect();
    if found.is_empty() {
        return Err(unresolved());
    }
    match found.iter().all(|address| reach.admits(address.ip())) {
        true => Ok(found),
        false => Err(blocked()),
    }
}

/// Looks at the addresses that a connection is made to: a name may say something else the second time it is asked.
struct Checked {
    reach: Reach,
    /// The person's own choice, wherever it is.
    proxy: Option<String>,
}

impl Resolve for Checked {
    fn resolve(&self, name: Name) -> Resolving {
        let is_proxy = self.proxy.as_deref() == Some(name.as_str());
        let reach = match is_proxy {
            true => Reach::Anywhere,
            false => self.reach,
        };
        Box::pin(async move {
            let addresses = resolved(name.as_str(), reach).await?;
            Ok(Box::new(addresses.into_iter()) as Addrs)
        })
    }
}

/// Without the address, which may hold a secret, and with the innermost cause, which says most.
fn network(error: reqwest::Error) -> WebError {
    let error = error.without_url();
    let mut cause: &dyn std::error::Error = &error;
    while let Some(deeper) = cause.source() {
        if let Some(refused) = deeper.downcast_ref::<WebError>() {
            return refused.clone();
        }
        cause = deeper;
    }
    WebError::Network {
        reason: cause.to_string(),
    }
}
