//! Who may be talked to because a server says so.

#[cfg(test)]
mod tests;

use pollux_model::Reach;
use url::{Host, Url};

/// Why an address is not asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum AddressError {
    #[error("`{0}` is no address")]
    Malformed(String),
    #[error("{0} is not reached by https")]
    Insecure(String),
    #[error("{0} is not on the public web")]
    Private(String),
}

/// The surroundings of a server. What is on this machine may send us around on this machine; nobody else may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Surroundings {
    pub(super) reach: Reach,
}

impl Surroundings {
    pub(super) fn of(server: &Url) -> Self {
        let reach = match is_here(server) {
            true => Reach::PublicAndHere,
            false => Reach::Public,
        };
        Self { reach }
    }

    /// Looks at the address as it is written. Names are looked up by whoever connects.
    pub(super) fn check(self, url: &Url) -> Result<(), AddressError> {
        let host = url.host();
        let host = host.ok_or_else(|| AddressError::Malformed(shortened(url)))?;
        let is_secure = match url.scheme() {
            "https" => true,
            "http" => self.reach == Reach::PublicAndHere && is_here(url),
            _ => return Err(AddressError::Malformed(shortened(url))),
        };
        if !url.username().is_empty() || url.password().is_some() {
            return Err(AddressError::Malformed(host.to_string()));
        }
        let is_admitted = match host {
            Host::Ipv4(address) => self.reach.admits(address.into()),
            Host::Ipv6(address) => self.reach.admits(address.into()),
            Host::Domain(name) => self.reach.admits_name(name),
        };
        match (is_admitted, is_secure) {
            (true, true) => Ok(()),
            (false, _) => Err(AddressError::Private(host.to_string())),
            (true, false) => Err(AddressError::Insecure(host.to_string())),
        }
    }

    /// Looks the name up as well, for an address that somebody else will open.
    pub(super) async fn check_for_others(self, url: &Url) -> Result<(), AddressError> {
        self.check(url)?;
        let Some(Host::Domain(name)) = url.host() else {
            return Ok(());
        };
        // A name that cannot be looked up here may be known to a proxy, and leads nowhere otherwise.
        let Ok(found) = tokio::net::lookup_host((name, 0)).await else {
            return Ok(());
        };
        let mut found = found;
        match found.all(|address| self.reach.admits(address.ip())) {
            true => Ok(()),
            false => Err(AddressError::Private(name.to_owned())),
        }
    }

    pub(super) fn parse(self, text: &str) -> Result<Url, AddressError> {
        let url = Url::parse(text);
        let url = url.map_err(|_| AddressError::Malformed(text.chars().take(200).collect()))?;
        self.check(&url)?;
        Ok(url)
    }
}

fn is_here(url: &Url) -> bool {
    match url.host() {
        None => false,
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => {
            let name = name.trim_end_matches('.');
            name == "localhost" || name.ends_with(".localhost")
        }
    }
}

/// Without what may be secret in it.
fn shortened(url: &Url) -> String {
    let path: String = url.path().chars().take(100).collect();
    format!("{}:{path}", url.scheme())
}
