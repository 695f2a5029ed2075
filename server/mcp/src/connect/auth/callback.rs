//! Where the browser comes back to: a server of one page, on this machine, for a few minutes.

#[cfg(test)]
mod tests;

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio_util::task::AbortOnDropHandle;
use url::Url;

/// The path that the twin has registered at many servers.
pub(super) const PATH: &str = "/oauth/callback";
/// Codes are long, but not that long.
const LONGEST_HEAD: u64 = 32 * 1024;

/// What the browser has brought.
pub(super) struct Return {
    pub(super) code: String,
    pub(super) state: String,
    pub(super) issuer: Option<String>,
}

/// How a sign-in ended.
pub(super) enum Landing {
    Arrived(Return),
    /// The authorization server says why not.
    Refused(String),
}

pub(super) struct Callback {
    port: u16,
    landed: mpsc::Receiver<Landing>,
    _listening: Vec<AbortOnDropHandle<()>>,
}

impl Callback {
    /// Listens on this machine only. Browsers may take `localhost` for either address.
    pub(super) async fn listen(port: u16) -> std::io::Result<(Self, StateSlot)> {
        let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).await?;
        let port = listener.local_addr()?.port();
        let (expected, state) = tokio::sync::watch::channel(None);
        let (sender, landed) = mpsc::channel(1);
        let mut listening = vec![accepting(listener, state.clone(), sender.clone())];
        if let Ok(also) = TcpListener::bind(SocketAddr::from((Ipv6Addr::LOCALHOST, port))).await {
            listening.push(accepting(also, state, sender));
        }
        let callback = Self {
            port,
            landed,
            _listening: listening,
        };
        Ok((callback, StateSlot(expected)))
    }

    pub(super) fn port(&self) -> u16 {
        self.port
    }

    /// Waits for the browser. Nothing: it cannot come any more.
    pub(super) async fn landing(&mut self) -> Option<Landing> {
        self.landed.recv().await
    }
}

/// Where the word goes by which the right browser is known. Before it is set, nobody is let in.
pub(super) struct StateSlot(tokio::sync::watch::Sender<Option<String>>);

impl StateSlot {
    pub(super) fn expect(&self, state: String) {
        self.0.send_replace(Some(state));
    }
}

type Expected = tokio::sync::watch::Receiver<Option<String>>;

fn accepting(
    listener: TcpListener,
    state: Expected,
    landed: mpsc::Sender<Landing>,
) -> AbortOnDropHandle<()> {
    AbortOnDropHandle::new(tokio::spawn(async move {
        let mut visits = tokio::task::JoinSet::new();
        while let Ok((stream, _)) = listener.accept().await {
            let expected = state.borrow().clone();
            let landed = landed.clone();
            visits.spawn(async move {
                // A browser that goes away in the midst of it comes back or does not.
                let _gone = receive(stream, expected.as_deref(), &landed).await;
            });
            while visits.try_join_next().is_some() {}
        }
    }))
}

async fn receive(
    mut stream: TcpStream,
    expected: Option<&str>,
    landed: &mpsc::Sender<Landing>,
) -> std::io::Result<()> {
    let mut head = Vec::new();
    let mut limited = (&mut stream).take(LONGEST_HEAD);
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        if limited.read_buf(&mut head).await? == 0 {
            return Ok(());
        }
    }
    let head = String::from_utf8_lossy(&head);
    let target = target(&head);
    let landing = target.and_then(|target| landing(target, expected));
    let (status, told) = match &landing {
        Some(Landing::Arrived(_)) => ("200 OK", "You are signed in. You can close this page."),
        Some(Landing::Refused(_)) => ("200 OK", "You are not signed in. You can close this page."),
        None => ("400 Bad Request", "This is not what was expected here."),
    };
    let page = format!("<!doctype html><meta charset=utf-8><title>Pollux</title><p>{told}</p>");
    let answer = format!(
        "HTTP/1.1 {status}\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: {}\r\n\
         cache-control: no-store\r\nreferrer-policy: no-referrer\r\nconnection: close\r\n\r\n{page}",
        page.len()
    );
    stream.write_all(answer.as_bytes()).await?;
    stream.shutdown().await?;
    if let Some(landing) = landing {
        // Whoever has stopped waiting needs no landing.
        let _nobody_waits = landed.send(landing).await;
    }
    Ok(())
}

fn target(head: &str) -> Option<&str> {
    let mut words = head.lines().next()?.split(' ');
    (words.next()? == "GET").then(|| words.next())?
}

/// Nothing for whoever does not bring the right word: another page, or another program, sends them.
fn landing(target: &str, expected: Option<&str>) -> Option<Landing> {
    let url = Url::parse("http://localhost").ok()?.join(target).ok()?;
    if url.path() != PATH {
        return None;
    }
    let value = |name: &str| {
        let mut values = url.query_pairs().filter(|(key, _)| key == name);
        let value = values.next().map(|(_, value)| value.into_owned());
        // Said twice is not said at all: two readers might pick different ones.
        value.filter(|_| values.next().is_none())
    };
    let state = value("state").filter(|state| Some(state.as_str()) == expected)?;
    if let Some(error) = value("error") {
        let why = value("error_description").unwrap_or(error);
        return Some(Landing::Refused(super::super::catalogue::line(&why)));
    }
    Some(Landing::Arrived(Return {
        code: value("code")?,
        state,
        issuer: value("iss"),
    }))
}
