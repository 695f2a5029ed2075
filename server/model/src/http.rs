//! The one HTTP client: trust, proxies, time limits, and no way to loosen any of them by accident.
//!
//! Nothing is read from the process environment; see [`NetworkOptions::from_env`]. Nothing is built before the
//! first request, because this lies on the way of every start.

mod endpoint;
mod exchange;
mod options;
mod tls;

use std::sync::{Arc, OnceLock};

use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder, NoProxy, Proxy, Url};

pub use endpoint::CustomHeaders;
pub(crate) use endpoint::{Endpoint, KeyHeader};
pub(crate) use exchange::{Exchange, NoReply, Refusal, Reply};
pub use options::NetworkOptions;

use crate::ModelError;

/// Names and addresses of this machine: a proxy cannot reach them on our behalf.
const NEVER_PROXIED: &str = "localhost,127.0.0.0/8,::1";

/// A client, shared by all its clones together with its connections.
#[derive(Clone, Debug, Default)]
pub struct Http {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    options: NetworkOptions,
    /// For `http:`; does not load the operating system's certificates.
    plain: OnceLock<Result<Client, ModelError>>,
    secure: OnceLock<Result<Client, ModelError>>,
}

impl Http {
    pub fn new(options: NetworkOptions) -> Self {
        Self {
            shared: Arc::new(Shared {
                options,
                ..Shared::default()
            }),
        }
    }

    pub(crate) fn options(&self) -> &NetworkOptions {
        &self.shared.options
    }

    /// The client for an address, built when it is first asked for.
    pub async fn client_for(&self, url: &Url) -> Result<Client, ModelError> {
        // The proxy may have to be reached by TLS even where the server is not.
        if url.scheme() != "https" && !self.options().proxy_is_secure() {
            return self.shared.plain();
        }
        if let Some(client) = self.shared.secure.get() {
            return client.clone();
        }
        // Reading all certificates of the system takes long enough to be noticed.
        let shared = Arc::clone(&self.shared);
        tokio::task::spawn_blocking(move || shared.secure())
            .await
            .unwrap_or_else(|_panicked| Err(configuration("the TLS client cannot be built")))
    }
}

impl Shared {
    fn plain(&self) -> Result<Client, ModelError> {
        let build = || build(&self.options, tls::Trust::Nobody);
        self.plain.get_or_init(build).clone()
    }

    fn secure(&self) -> Result<Client, ModelError> {
        let build = || build(&self.options, tls::Trust::OperatingSystem);
        self.secure.get_or_init(build).clone()
    }
}

fn build(options: &NetworkOptions, trust: tls::Trust) -> Result<Client, ModelError> {
    builder(options, trust)?
        .build()
        .map_err(|error| configuration(&error.without_url().to_string()))
}

/// A client for pages, which looks names up its own way and follows nothing by itself.
pub(crate) fn web_client(
    options: &NetworkOptions,
    resolver: Arc<impl reqwest::dns::Resolve + 'static>,
) -> Result<Client, ModelError> {
    builder(options, tls::Trust::OperatingSystem)?
        // Some servers have nothing for whoever does not introduce themselves.
        .user_agent("Mozilla/5.0 (compatible; Pollux)")
        .dns_resolver(resolver)
        .build()
        .map_err(|error| configuration(&error.without_url().to_string()))
}

fn builder(options: &NetworkOptions, trust: tls::Trust) -> Result<ClientBuilder, ModelError> {
    let mut builder = Client::builder()
        .tls_backend_preconfigured(tls::config(options, trust)?)
        // A redirect would take the key along; a model API has none.
        .redirect(Policy::none())
        .referer(false)
        .connect_timeout(options.connect_timeout)
        // What reqwest would find in the environment.
        .no_proxy();
    if let Some(proxy) = options.proxy() {
        let rules = format!("{NEVER_PROXIED},{}", options.no_proxy());
        let proxy = Proxy::all(proxy)
            // The text of the error could hold the password in the proxy's address.
            .map_err(|_hides_the_address| configuration("the proxy's address cannot be read"))?
            .no_proxy(NoProxy::from_string(&rules));
        builder = builder.proxy(proxy);
    }
    Ok(builder)
}

pub(crate) fn configuration(message: &str) -> ModelError {
    ModelError::Configuration {
        message: message.into(),
    }
}

#[cfg(test)]
mod tests;
