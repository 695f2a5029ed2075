//! `pollux acp`: the door of Zed's panel and of every other client of the Agent Client Protocol.

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use pollux_settings::Environment;
use pollux_workspace::{DoorContext, DoorId};

use crate::auth::{self, AuthArgs};
use crate::environment;
use crate::lsp::WORKERS;
use crate::services::Services;
#[cfg(unix)]
use crate::shared::{DoorKind, Runtime, Shared};
use crate::stdio;
#[cfg(unix)]
use pollux_acp::DoorMemory;

#[derive(Args)]
pub(crate) struct AcpArgs {
    /// Run everything in this process instead of sharing a host
    #[arg(long)]
    no_share: bool,
    /// Ask for a Gemini key and keep it, as `pollux auth` does; clients add this to let a person sign in
    #[arg(long)]
    login: bool,
}

pub(crate) fn run(arguments: &AcpArgs, environment: &Environment) -> Result<ExitCode> {
    if arguments.login {
        return auth::run(&AuthArgs::default(), environment);
    }
    let context = environment::door_context(environment);
    let alone = arguments.no_share || cfg!(not(unix));
    let mut threads = match alone {
        true => {
            crate::frugal::allocate_little();
            crate::logging::start(environment, "acp.log");
            tokio::runtime::Builder::new_multi_thread()
        }
        false => tokio::runtime::Builder::new_current_thread(),
    };
    let threads = threads.worker_threads(WORKERS).enable_all().build()?;
    let done = threads.block_on(async {
        #[cfg(unix)]
        if !alone {
            return run_shared(environment, context).await;
        }
        run_alone(context).await
    });
    // Standard input may be open still, and if it is no pipe, a thread waits for it that cannot be stopped.
    threads.shutdown_background();
    done
}

async fn run_alone(context: DoorContext) -> Result<ExitCode> {
    let services = Services::new(None);
    let (input, output) = (stdio::input(), stdio::output());
    pollux_acp::serve(input, output, services.acp(), DoorId::new(1), context).await;
    services.companions.hide();
    Ok(ExitCode::SUCCESS)
}

#[cfg(unix)]
async fn run_shared(environment: &Environment, context: DoorContext) -> Result<ExitCode> {
    let shared = Shared {
        runtime: Runtime::open(environment)?,
        environment: environment.clone(),
        context,
        kind: DoorKind::Acp,
    };
    let (input, output) = (stdio::input(), stdio::output());
    pollux_door::carry(input, output, shared, DoorMemory::default()).await?;
    Ok(ExitCode::SUCCESS)
}
