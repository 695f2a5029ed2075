//! The built extension, called as Zed calls it.

#[path = "extension/download.rs"]
mod download;
#[path = "extension/package.rs"]
mod package;
#[path = "extension/settings.rs"]
mod settings;
#[path = "extension/start.rs"]
mod start;

use pollux_zed_host::{Command, Loaded, Zed};

fn loaded(zed: Zed) -> Loaded {
    Loaded::new(zed).unwrap()
}

fn editor() -> Zed {
    Zed::new().unwrap()
}

/// `A=1 program argument …`, or what is said instead.
fn answer(extension: &mut Loaded) -> String {
    match extension.command().unwrap() {
        Ok(command) => spelled(&command),
        Err(message) => message,
    }
}

fn spelled(command: &Command) -> String {
    let env = command
        .env
        .iter()
        .map(|(name, value)| format!("{name}={value}"));
    let program = [command.command.clone()].into_iter();
    let words = env.chain(program).chain(command.args.iter().cloned());
    words.collect::<Vec<_>>().join(" ")
}
