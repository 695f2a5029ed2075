//! Who signs in at servers that want it.

use futures_util::future::BoxFuture;
use tokio::sync::watch;

use super::ServerConfig;

/// Gives what a server wants to see before it talks to us.
pub trait Authorization: Send + Sync {
    /// The bearer token to connect with. Nothing: there is none, and the server may not want one.
    fn token<'a>(&'a self, server: &'a ServerConfig) -> BoxFuture<'a, Option<String>>;

    /// A token that a server has refused, renewed without anybody's help. Nothing: that cannot be done.
    fn renewed<'a>(
        &'a self,
        server: &'a ServerConfig,
        refused: &'a str,
    ) -> BoxFuture<'a, Option<String>>;

    /// A server has turned us away with this challenge. Says whether trying again makes sense.
    fn refused<'a>(
        &'a self,
        server: &'a ServerConfig,
        challenge: Option<&'a str>,
    ) -> BoxFuture<'a, SignedIn>;

    /// The person wants to sign in, at this server or at all that want it. The answer is for them.
    fn sign_in<'a>(&'a self, server: Option<&'a ServerConfig>) -> BoxFuture<'a, String>;

    /// The person wants to be signed in here no more. What is told is for them; an error, if they still are.
    fn sign_out<'a>(&'a self, server: &'a str) -> BoxFuture<'a, Result<String, String>>;

    /// Moves whenever somebody has signed in somewhere.
    fn news(&self) -> watch::Receiver<u64>;
}

/// Whether somebody has signed in meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignedIn {
    Yes,
    No,
}

/// Nobody signs in.
pub struct NoAuthorization;

impl Authorization for NoAuthorization {
    fn token<'a>(&'a self, _: &'a ServerConfig) -> BoxFuture<'a, Option<String>> {
        Box::pin(async { None })
    }

    fn renewed<'a>(&'a self, _: &'a ServerConfig, _: &'a str) -> BoxFuture<'a, Option<String>> {
        Box::pin(async { None })
    }

    fn refused<'a>(&'a self, _: &'a ServerConfig, _: Option<&'a str>) -> BoxFuture<'a, SignedIn> {
        Box::pin(async { SignedIn::No })
    }

    fn sign_in<'a>(&'a self, _: Option<&'a ServerConfig>) -> BoxFuture<'a, String> {
        Box::pin(async { "Signing in is not possible here.".to_owned() })
    }

    fn sign_out<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<String, String>> {
        Box::pin(async { Ok("Nobody is signed in here.".to_owned()) })
    }

    fn news(&self) -> watch::Receiver<u64> {
        watch::Sender::new(0).subscribe()
    }
}
