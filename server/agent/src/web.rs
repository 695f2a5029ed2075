use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use pollux_model::{WebClient, WebError, WebPage};

/// Pages of the web. An implementation reaches nothing but the public web, whatever it is asked for.
pub trait Web: Send + Sync {
    /// Whether a page may be asked for. Nothing is fetched.
    fn check<'a>(&'a self, url: &'a str) -> BoxFuture<'a, Result<(), WebError>>;

    /// Fetches a page, whatever its status.
    fn get<'a>(&'a self, url: &'a str) -> BoxFuture<'a, Result<WebPage, WebError>>;
}

impl Web for WebClient {
    fn check<'a>(&'a self, url: &'a str) -> BoxFuture<'a, Result<(), WebError>> {
        self.check(url).boxed()
    }

    fn get<'a>(&'a self, url: &'a str) -> BoxFuture<'a, Result<WebPage, WebError>> {
        self.get(url).boxed()
    }
}
