//! Whoever is to sign in.

use futures_util::future::BoxFuture;
use url::Url;

/// Where somebody is to sign in, and for what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invitation {
    pub server: String,
    /// The host of the page. It may be another one than the server's.
    pub host: String,
    pub occasion: Occasion,
}

/// How it came to this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occasion {
    /// The person wants to sign in, and has said where.
    Asked,
    /// A server has turned us away.
    Automatic,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consent {
    Given,
    Refused,
    /// There is no way to ask.
    NobodyThere,
}

/// Whether the page is in front of the person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// They look at it, and have nothing else to do.
    Yes,
    /// It was opened beside what they do. Nobody waits until they come back from it.
    Beside,
    /// Whoever began this has to say where it is.
    No,
}

/// How a person is asked and brought to a page.
pub trait Person: Send + Sync {
    /// Asked before anything is registered or opened.
    fn agrees<'a>(&'a self, invitation: &'a Invitation) -> BoxFuture<'a, Consent>;

    fn show<'a>(&'a self, invitation: &'a Invitation, page: &'a Url) -> BoxFuture<'a, Shown>;
}
