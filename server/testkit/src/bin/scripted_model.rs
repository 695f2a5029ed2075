//! `scripted-model`: the scripted model server for tests in other languages.
//!
//! Prints one JSON line with its port and URL when it listens, and runs until its stdin ends or it
//! is asked to terminate. A line `open NAME` on stdin opens a gate.

use std::ffi::OsString;
use std::fmt::Display;
use std::io::BufRead as _;
use std::path::PathBuf;
use std::pin::pin;
use std::process::ExitCode;

use pollux_testkit::scripted_model::{Script, ScriptedModel};
use tokio::sync::mpsc;

const USAGE: &str = "\
usage: scripted-model --script FILE [--port N] [--record FILE]

  --script FILE   the replies, as JSON
  --port N        the port to listen on; any free one by default
  --record FILE   append each request as a JSON line, with its time of arrival";

/// The arguments or the script are wrong.
const EXIT_USAGE: u8 = 2;
/// The script is strict and was not played to its end, or the server could not run.
const EXIT_FAILED: u8 = 1;

struct Arguments {
    script: PathBuf,
    port: u16,
    record: Option<PathBuf>,
}

fn main() -> ExitCode {
    let arguments = match parse(std::env::args_os().skip(1)) {
        Ok(Some(arguments)) => arguments,
        Ok(None) => {
            print_line(&mut std::io::stdout(), USAGE);
            return ExitCode::SUCCESS;
        }
        Err(reason) => return fail(EXIT_USAGE, format!("{reason}\n{USAGE}")),
    };
    let path = arguments.script.display();
    let script = std::fs::read_to_string(&arguments.script)
        .map_err(|error| format!("{path}: {error}"))
        .and_then(|text| Script::from_json(&text).map_err(|error| format!("{path}: {error}")));
    let script = match script {
        Ok(script) => script,
        Err(reason) => return fail(EXIT_USAGE, reason),
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let result = match runtime {
        Ok(runtime) => runtime.block_on(run(arguments, script)),
        Err(error) => Err(error.to_string()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => fail(EXIT_FAILED, reason),
    }
}

/// `None` is a request for help.
fn parse(mut arguments: impl Iterator<Item = OsString>) -> Result<Option<Arguments>, String> {
    let mut script = None;
    let mut port = 0;
    let mut record = None;
    while let Some(name) = arguments.next() {
        let name = name.to_string_lossy().into_owned();
        if matches!(name.as_str(), "-h" | "--help") {
            return Ok(None);
        }
        let mut value = || arguments.next().ok_or(format!("{name} needs a value"));
        match name.as_str() {
            "--script" => script = Some(PathBuf::from(value()?)),
            "--record" => record = Some(PathBuf::from(value()?)),
            "--port" => {
                let text = value()?.to_string_lossy().into_owned();
                port = text
                    .parse()
                    .map_err(|_| format!("{text:?} is not a port number"))?;
            }
            _ => return Err(format!("unknown argument {name:?}")),
        }
    }
    let script = script.ok_or("--script is missing")?;
    Ok(Some(Arguments {
        script,
        port,
        record,
    }))
}

async fn run(arguments: Arguments, script: Script) -> Result<(), String> {
    let is_strict = script.strict;
    // The program reports flaws by its exit code, not by a panic.
    let script = Script {
        strict: false,
        ..script
    };
    let server = ScriptedModel::bind(script, arguments.port, arguments.record.as_deref())
        .await
        .map_err(|error| error.to_string())?;
    let mut terminated = pin!(terminated().map_err(|error| error.to_string())?);
    let (port, url) = (server.address().port(), server.url());
    let line = serde_json::json!({ "port": port, "url": url });
    print_line(&mut std::io::stdout(), line);

    let mut commands = read_stdin();
    loop {
        tokio::select! {
            command = commands.recv() => match command.as_deref().map(str::trim) {
                None => break,
                Some("") => {}
                Some(command) => match command.strip_prefix("open ") {
                    Some(gate) => server.open_gate(gate.trim()),
                    None => return Err(format!("unknown command on stdin: {command:?}")),
                },
            },
            () = &mut terminated => break,
        }
    }
    let flaws = server.flaws();
    server.stop().await;
    if is_strict && !flaws.is_empty() {
        return Err(flaws.join("\n"));
    }
    Ok(())
}

/// Lines of stdin; the channel closes at its end. A thread of its own, which may be stuck in a
/// read when the program ends.
fn read_stdin() -> mpsc::UnboundedReceiver<String> {
    let (tx, rx) = mpsc::unbounded_channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            if tx.send(line).is_err() {
                return;
            }
        }
    });
    rx
}

/// Resolves when the program is asked to end. The signals are caught from the call on, not only
/// from the first poll.
#[cfg(unix)]
fn terminated() -> std::io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _signal = terminate.recv() => {}
            _signal = interrupt.recv() => {}
        }
    })
}

#[cfg(not(unix))]
fn terminated() -> std::io::Result<impl Future<Output = ()>> {
    Ok(async {
        let _interrupted = tokio::signal::ctrl_c().await;
    })
}

fn fail(code: u8, reason: impl Display) -> ExitCode {
    let text = format!("scripted-model: {reason}");
    print_line(&mut std::io::stderr(), text);
    ExitCode::from(code)
}

/// Nobody may be left to read it, which is no reason to fail.
fn print_line(output: &mut impl std::io::Write, line: impl Display) {
    let _nobody_reads = writeln!(output, "{line}").and_then(|()| output.flush());
}
