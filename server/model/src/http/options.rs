use std::fmt;
use std::time::Duration;

/// How to reach the network. Data: whoever starts the process reads the environment.
#[derive(Clone)]
pub struct NetworkOptions {
    proxy: Option<String>,
    no_proxy: Option<String>,
    /// Certificates in PEM that are trusted beside the operating system's.
    pub extra_roots: Vec<Vec<u8>>,
    pub connect_timeout: Duration,
    /// From the request's end to the first byte of the reply.
    pub first_byte_timeout: Duration,
    /// Between two pieces of a reply. Models think for minutes without a word.
    pub idle_timeout: Duration,
}

impl Default for NetworkOptions {
    fn default() -> Self {
        Self {
            proxy: None,
            no_proxy: None,
            extra_roots: Vec::new(),
            connect_timeout: Duration::from_secs(10),
            first_byte_timeout: Duration::from_secs(300),
            idle_timeout: Duration::from_secs(300),
        }
    }
}

impl NetworkOptions {
    /// Takes `HTTPS_PROXY`, `https_proxy`, `HTTP_PROXY` or `http_proxy`, whichever is set first, and `NO_PROXY`.
    /// `SSL_CERT_FILE` names a file: the caller reads it, for [`NetworkOptions::and_trusting`].
    pub fn from_env(lookup: impl Fn(&str) -> Option<String>) -> Self {
        let first = |names: &[&str]| {
            let set = names.iter().filter_map(|name| lookup(name));
            set.map(|value| value.trim().to_owned())
                .find(|value| !value.is_empty())
        };
        Self {
            proxy: first(&["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"]),
            no_proxy: first(&["NO_PROXY", "no_proxy"]),
            ..Self::default()
        }
    }

    /// Sends everything but this machine's own addresses through this proxy.
    pub fn with_proxy(mut self, proxy: impl Into<String>) -> Self {
        self.proxy = Some(proxy.into());
        self
    }

    /// Trusts these certificates too, in PEM.
    pub fn and_trusting(mut self, certificates: Vec<u8>) -> Self {
        self.extra_roots.push(certificates);
        self
    }

    /// Hosts that are reached directly, in the form of `NO_PROXY`.
    pub fn without_proxy_for(mut self, hosts: impl Into<String>) -> Self {
        self.no_proxy = Some(hosts.into());
        self
    }

    pub(super) fn proxy(&self) -> Option<&str> {
        self.proxy.as_deref()
    }

    /// The name of the machine that the proxy runs on.
    pub(crate) fn proxy_host(&self) -> Option<String> {
        let url = reqwest::Url::parse(self.proxy()?).ok()?;
        url.host_str().map(str::to_owned)
    }

    pub(super) fn no_proxy(&self) -> &str {
        self.no_proxy.as_deref().unwrap_or_default()
    }

    pub(super) fn proxy_is_secure(&self) -> bool {
        self.proxy()
            .is_some_and(|proxy| proxy.starts_with("https:"))
    }
}

/// The address of a proxy may hold a password.
impl fmt::Debug for NetworkOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NetworkOptions")
            .field("proxy", &self.proxy.as_ref().map(|_| "[redacted]"))
            .field("no_proxy", &self.no_proxy)
            .field("extra_roots", &self.extra_roots.len())
            .field("connect_timeout", &self.connect_timeout)
            .field("first_byte_timeout", &self.first_byte_timeout)
            .field("idle_timeout", &self.idle_timeout)
            .finish()
    }
}
