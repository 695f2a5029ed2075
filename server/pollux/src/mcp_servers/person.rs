//! Who signs in at MCP servers: somebody in front of an editor, or somebody at a terminal.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use pollux_mcp::connect::{Consent, Invitation, Occasion, Person, Shown};
use pollux_workspace::{Deed, Done, Errands};
use url::Url;

use crate::terminal;

/// How long a question stands in an editor that nobody looks at. Others wait to sign in meanwhile.
const PATIENCE: Duration = Duration::from_secs(60);

/// Whoever types `/mcp auth` has agreed by that; everybody else is asked in an editor of the folder. A page that no
/// editor opens is given as the answer.
pub(super) struct InEditor {
    pub(super) errands: Errands,
    pub(super) folder: PathBuf,
}

impl InEditor {
    /// Nobody is there but whoever asks.
    pub(super) fn without_one() -> Self {
        Self {
            errands: Errands::default(),
            folder: PathBuf::new(),
        }
    }
}

impl Person for InEditor {
    fn agrees<'a>(&'a self, invitation: &'a Invitation) -> BoxFuture<'a, Consent> {
        async move {
            if invitation.occasion == Occasion::Asked {
                return Consent::Given;
            }
            let Invitation { server, host, .. } = invitation;
            let question = Deed::Ask {
                message: format!("The MCP server {server} wants you to sign in at {host}."),
                yes: "Open the page".to_owned(),
                no: "Not now".to_owned(),
            };
            let asking = self.errands.run(&self.folder, &question);
            match tokio::time::timeout(PATIENCE, asking).await {
                Ok(Done::Yes) => Consent::Given,
                Ok(Done::No) => Consent::Refused,
                Ok(Done::NotHere) | Err(_) => Consent::NobodyThere,
            }
        }
        .boxed()
    }

    fn show<'a>(&'a self, _: &'a Invitation, page: &'a Url) -> BoxFuture<'a, Shown> {
        async move {
            let page = Deed::Open {
                url: page.to_string(),
            };
            match self.errands.run(&self.folder, &page).await {
                Done::Yes => Shown::Beside,
                Done::No | Done::NotHere => Shown::No,
            }
        }
        .boxed()
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
            terminal::stdout(),
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
    let mut out = terminal::stdout();
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
