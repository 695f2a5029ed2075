//! Who may talk to the server at all.
//!
//! A page in a browser can reach loopback too, by a name that it lets point here. Such a request has another `Host`, or an
//! `Origin`, which no program of ours sends.

use std::sync::atomic::{AtomicU32, Ordering};

use hyper::header::{AUTHORIZATION, HOST, HeaderMap, HeaderName, ORIGIN, WWW_AUTHENTICATE};
use hyper::{Request, StatusCode};
use tracing::warn;

use super::{Reply, Token, said};

/// So many refusals are told; whoever knocks more often does not fill the log.
const TOLD: u32 = 20;

#[derive(Debug)]
pub(crate) struct Guard {
    port: u16,
    token: Option<Token>,
    origins: Origins,
    refused: AtomicU32,
}

/// Which pages may come in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origins {
    None,
    /// Those of this very port, of which there are none; clients say it all the same.
    Ours,
}

impl Guard {
    pub(super) fn new(port: u16, token: Token) -> Self {
        Self {
            port,
            token: Some(token),
            origins: Origins::None,
            refused: AtomicU32::new(0),
        }
    }

    pub(super) fn for_pages_of_ours(port: u16, token: Option<Token>) -> Self {
        Self {
            port,
            token,
            origins: Origins::Ours,
            refused: AtomicU32::new(0),
        }
    }

    pub(super) fn port(&self) -> u16 {
        self.port
    }

    /// Nothing of a request is looked at before this.
    pub(super) fn check<B>(&self, request: &Request<B>) -> Result<(), Box<Reply>> {
        let headers = request.headers();
        if !self.is_for_us(request) {
            return Err(self.refuse(
                StatusCode::FORBIDDEN,
                "the `Host` is not this port of 127.0.0.1 or localhost; a program in a container has to reach it by \
                 that name",
            ));
        }
        if headers.contains_key(ORIGIN) && !self.is_our_page(headers) {
            return Err(self.refuse(StatusCode::FORBIDDEN, "pages of a browser have no access"));
        }
        if !self.is_known(headers) {
            let mut refused =
                self.refuse(StatusCode::UNAUTHORIZED, "the token is missing or wrong");
            let bearer = hyper::header::HeaderValue::from_static("Bearer");
            refused.headers_mut().insert(WWW_AUTHENTICATE, bearer);
            return Err(refused);
        }
        Ok(())
    }

    fn is_for_us<B>(&self, request: &Request<B>) -> bool {
        let target = request.uri().authority();
        let target_is_ours = target.is_none_or(|target| self.is_our_name(target.as_str()));
        let host = only(request.headers(), &HOST);
        target_is_ours && host.is_some_and(|host| self.is_our_name(host))
    }

    fn is_our_name(&self, host: &str) -> bool {
        let name = host.strip_suffix(&format!(":{}", self.port));
        name.is_some_and(|name| name == "127.0.0.1" || name.eq_ignore_ascii_case("localhost"))
    }

    fn is_our_page(&self, headers: &HeaderMap) -> bool {
        let origin = only(headers, &ORIGIN).and_then(|origin| origin.strip_prefix("http://"));
        self.origins == Origins::Ours && origin.is_some_and(|origin| self.is_our_name(origin))
    }

    fn is_known(&self, headers: &HeaderMap) -> bool {
        let Some(own) = &self.token else {
            return true;
        };
        let Some((scheme, token)) =
            only(headers, &AUTHORIZATION).and_then(|all| all.split_once(' '))
        else {
            return false;
        };
        scheme.eq_ignore_ascii_case("bearer") && own.is(token.trim().as_bytes())
    }

    fn refuse(&self, status: StatusCode, reason: &'static str) -> Box<Reply> {
        if self.refused.fetch_add(1, Ordering::Relaxed) < TOLD {
            warn!(
                port = self.port,
                status = status.as_u16(),
                "refused: {reason}"
            );
        }
        Box::new(said(status, reason))
    }
}

/// The one value of a header. Two are as good as none: nobody knows which of them counts elsewhere.
fn only<'headers>(headers: &'headers HeaderMap, name: &HeaderName) -> Option<&'headers str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?;
    if values.next().is_some() {
        return None;
    }
    value.to_str().ok()
}
