//! Who signs in at MCP servers: somebody in a chat, or somebody at a terminal.

use std::io::{self, Write};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use pollux_mcp::connect::{Consent, Invitation, Occasion, Person, Shown};
use url::Url;

/// Whoever types `/mcp auth` has agreed by that, and gets the address as the answer. Nobody else is sent anywhere.
pub(super) struct InChat;

impl Person for InChat {
    fn agrees<'a>(&'a self, invitation: &'a Invitation) -> BoxFuture<'a, Consent> {
        let consent = match invitation.occasion {
            Occasion::Asked => Consent::Given,
            Occasion::Automatic => Consent::NobodyThere,
        };
        async move { consent }.boxed()
    }

    fn show<'a>(&'a self, _: &'a Invitation, _: &'a Url) -> BoxFuture<'a, Shown> {
        async { Shown::No }.boxed()
    }
}

pub(super) struct AtTerminal;

impl Person for AtTerminal {
    fn agrees<'a>(&'a self, invitation: &'a Invitation) -> BoxFuture<'a, Consent> {
        let Invitation { server, host, .. } = invitation;
        let question = format!("{server} wants you to sign in at {host}. Go there? [Y/n] ");
        async move {
            let asking = tokio::task::spawn_blocking(move || ask(&question));
            let asked = asking.await.ok().and_then(Result::ok);
            asked.unwrap_or(Consent::NobodyThere)
        }
        .boxed()
    }

    fn show<'a>(&'a self, _: &'a Invitation, page: &'a Url) -> BoxFuture<'a, Shown> {
        let told = writeln!(
            io::stdout().lock(),
            "Open this page in your browser:\n\n  {page}\n"
        );
        let shown = match told {
            Ok(()) => Shown::Yes,
            Err(_) => Shown::No,
        };
        async move { shown }.boxed()
    }
}

fn ask(question: &str) -> io::Result<Consent> {
    let mut out = io::stdout().lock();
    out.write_all(question.as_bytes())?;
    out.flush()?;
    let mut line = String::new();
    if io::stdin().read_line(&mut line)? == 0 {
        writeln!(out)?;
        return Ok(Consent::NobodyThere);
    }
    Ok(match line.trim().to_lowercase().as_str() {
        "" | "y" | "yes" => Consent::Given,
        _ => Consent::Refused,
    })
}
