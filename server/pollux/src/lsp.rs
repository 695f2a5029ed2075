//! `pollux lsp`: the door an editor starts.

use std::process::ExitCode;

use anyhow::Result;
use pollux_lsp::door::{self, Connect, End};
use pollux_settings::Environment;

use crate::connector::{Alone, Shared};
use crate::environment;
use crate::runtime::Runtime;

/// Whether this door shares a host with others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sharing {
    OneHost,
    NoHost,
}

pub(crate) fn run(environment: &Environment, sharing: Sharing) -> Result<ExitCode> {
    let context = environment::door_context(environment);
    let mut threads = match sharing {
        Sharing::OneHost => tokio::runtime::Builder::new_current_thread(),
        Sharing::NoHost => {
            crate::logging::start(environment, "lsp.log");
            tokio::runtime::Builder::new_multi_thread()
        }
    };
    let threads = threads.enable_all().build()?;
    let end = threads.block_on(async {
        match sharing {
            Sharing::OneHost => {
                relay(Shared {
                    runtime: Runtime::open(environment)?,
                    environment: environment.clone(),
                    context,
                })
                .await
            }
            Sharing::NoHost => relay(Alone { context }).await,
        }
    });
    // Standard input may be open still, and a thread waits for it that cannot be stopped.
    threads.shutdown_background();
    Ok(match end? {
        End::Orderly => ExitCode::SUCCESS,
        End::Abrupt | End::Garbage => ExitCode::FAILURE,
    })
}

async fn relay(connect: impl Connect) -> Result<End> {
    let end = door::run(
        tokio::io::stdin(),
        tokio::io::stdout(),
        connect,
        pollux_exec::process_ended,
    );
    Ok(end.await?)
}
