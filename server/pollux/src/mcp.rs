//! `pollux mcp`: the door of a client that wants to know what the editor shows.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use clap::Args;
use pollux_mcp::serve::{HttpDoor, over_pipe};
use pollux_settings::Environment;
use pollux_workspace::DoorContext;

use crate::environment;
use crate::lsp::WORKERS;
use crate::services::Services;
#[cfg(unix)]
use crate::shared::{DoorKind, Port, Runtime, Shared, hear};
use crate::stdio;
#[cfg(unix)]
use pollux_door::Connect;
#[cfg(unix)]
use pollux_mcp::serve::DoorMemory;

#[derive(Args)]
pub(crate) struct McpArgs {
    /// Open a port of this machine instead of using standard input and output, and say which
    #[arg(long)]
    http: bool,
    /// The folder that the editor has open, if it is another than this one
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Run everything in this process instead of sharing a host
    #[arg(long)]
    no_share: bool,
}

pub(crate) fn run(arguments: &McpArgs, environment: &Environment) -> Result<ExitCode> {
    let mut context = environment::door_context(environment);
    if let Some(folder) = &arguments.folder {
        context.folder = context.folder.join(folder);
        // A client would only hear that no editor has it open.
        ensure!(
            context.folder.is_dir(),
            "{} is no folder",
            context.folder.display()
        );
    }
    let alone = arguments.no_share || cfg!(not(unix));
    let mut threads = match alone {
        true => {
            crate::frugal::allocate_little();
            crate::logging::start(environment, "mcp.log");
            tokio::runtime::Builder::new_multi_thread()
        }
        false => tokio::runtime::Builder::new_current_thread(),
    };
    let threads = threads.worker_threads(WORKERS).enable_all().build()?;
    let done = threads.block_on(async {
        #[cfg(unix)]
        if !alone {
            return run_shared(arguments, environment, context).await;
        }
        run_alone(arguments, context).await
    });
    // Standard input may be open still, and if it is no pipe, a thread waits for it that cannot be stopped.
    threads.shutdown_background();
    done
}

async fn run_alone(arguments: &McpArgs, context: DoorContext) -> Result<ExitCode> {
    let services = Services::new(None);
    let front = services.front(context);
    match arguments.http {
        true => {
            let port = HttpDoor::open(front).await?;
            let token = port.token().unwrap_or_default();
            let _file = announce(&port.url(), token, &std::env::temp_dir())?;
            interrupted().await?;
        }
        false => over_pipe(stdio::input(), stdio::output(), front).await,
    }
    services.companions.hide();
    Ok(ExitCode::SUCCESS)
}

#[cfg(unix)]
async fn run_shared(
    arguments: &McpArgs,
    environment: &Environment,
    context: DoorContext,
) -> Result<ExitCode> {
    let runtime = Runtime::open(environment)?;
    let folder = runtime.folder().to_owned();
    let mut shared = Shared {
        runtime,
        environment: environment.clone(),
        context,
        kind: match arguments.http {
            true => DoorKind::McpHttp,
            false => DoorKind::Mcp,
        },
    };
    if !arguments.http {
        let (input, output) = (stdio::input(), stdio::output());
        pollux_door::carry(input, output, shared, DoorMemory::default()).await?;
        return Ok(ExitCode::SUCCESS);
    }
    let (mut reader, writer) = shared.connect().await?;
    let port: Port = hear(&mut reader)
        .await
        .context("the host has no port to give")?;
    let _file = announce(&port.url, &port.token, &folder)?;
    let mut nothing = tokio::io::sink();
    tokio::select! {
        _ = tokio::io::copy(&mut reader, &mut nothing) => anyhow::bail!("the host has ended; see its log"),
        ended = interrupted() => ended?,
    }
    drop(writer);
    Ok(ExitCode::SUCCESS)
}

/// Says where the port is, and puts the token into a file that only its owner can read. The file goes with the result.
fn announce(url: &str, token: &str, folder: &std::path::Path) -> Result<tempfile::NamedTempFile> {
    let mut file = tempfile::Builder::new()
        .prefix("mcp-")
        .suffix(".token")
        .tempfile_in(folder)
        .context("the token cannot be kept")?;
    file.write_all(token.as_bytes())?;
    file.flush()?;
    let mut stdout = std::io::stdout().lock();
    writeln!(stdout, "address: {url}")?;
    writeln!(stdout, "token file: {}", file.path().display())?;
    stdout.flush()?;
    Ok(file)
}

/// Somebody wants this to end.
async fn interrupted() -> Result<()> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut terminate = signal(SignalKind::terminate())?;
        let mut hangup = signal(SignalKind::hangup())?;
        tokio::select! {
            _ = terminate.recv() => {}
            _ = hangup.recv() => {}
            pressed = tokio::signal::ctrl_c() => pressed?,
        }
    }
    #[cfg(not(unix))]
    tokio::signal::ctrl_c().await?;
    Ok(())
}
