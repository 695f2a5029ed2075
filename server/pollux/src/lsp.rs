//! `pollux lsp`: the door an editor starts.

use std::process::ExitCode;
use std::sync::{Arc, OnceLock};

use anyhow::Result;
use pollux_door::Connect;
use pollux_lsp::door::{self, End};
use pollux_mcp::companion::Companions;
use pollux_settings::Environment;

use crate::alone::Alone;
#[cfg(unix)]
use crate::shared::{DoorKind, Runtime, Shared};
use crate::{environment, stdio};

/// Threads of a process that holds rooms. It waits for models and people, so there need not be one per core.
pub(crate) const WORKERS: usize = 2;

/// Whether this door shares a host with others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sharing {
    OneHost,
    NoHost,
}

pub(crate) fn run(environment: &Environment, sharing: Sharing) -> Result<ExitCode> {
    crate::frugal::allocate_little();
    let context = environment::door_context(environment);
    match sharing {
        #[cfg(unix)]
        Sharing::OneHost => {
            let shared = Shared {
                runtime: Runtime::open(environment)?,
                environment: environment.clone(),
                context,
                kind: DoorKind::Lsp,
            };
            relay(tokio::runtime::Builder::new_current_thread(), shared)
        }
        #[cfg(not(unix))]
        Sharing::OneHost => run(environment, Sharing::NoHost),
        Sharing::NoHost => {
            crate::logging::start(environment, "lsp.log");
            let companions = Arc::new(OnceLock::<Companions>::new());
            let alone = Alone {
                context,
                companions: Arc::clone(&companions),
            };
            let mut threads = tokio::runtime::Builder::new_multi_thread();
            threads.worker_threads(WORKERS);
            let ended = relay(threads, alone);
            if let Some(companions) = companions.get() {
                companions.hide();
            }
            ended
        }
    }
}

fn relay(mut threads: tokio::runtime::Builder, connect: impl Connect) -> Result<ExitCode> {
    let threads = threads.enable_all().build()?;
    let end = threads.block_on(async {
        let (input, output) = (stdio::input(), stdio::output());
        door::run(input, output, connect, pollux_exec::process_ended).await
    });
    // Standard input may be open still, and if it is no pipe, a thread waits for it that cannot be stopped.
    threads.shutdown_background();
    Ok(match end? {
        End::Orderly => ExitCode::SUCCESS,
        End::Abrupt | End::Garbage => ExitCode::FAILURE,
    })
}
