//! Whether two names mean the same authorization server.

#[cfg(test)]
mod tests;

use url::Url;

/// The case of the host, the port that goes without saying, and a last slash do not count. A name with a user in it
/// is like no other: it is there to deceive.
pub(super) fn same_issuer(one: &str, other: &str) -> bool {
    let (Ok(one), Ok(other)) = (Url::parse(one), Url::parse(other)) else {
        return false;
    };
    let has_user = |url: &Url| !url.username().is_empty() || url.password().is_some();
    if has_user(&one) || has_user(&other) || one.cannot_be_a_base() || other.cannot_be_a_base() {
        return false;
    }
    let path = |url: &Url| url.path().trim_end_matches('/').to_owned();
    one.scheme() == other.scheme()
        && one.host() == other.host()
        && one.port_or_known_default() == other.port_or_known_default()
        && path(&one) == path(&other)
        && one.query() == other.query()
        && one.fragment() == other.fragment()
}
