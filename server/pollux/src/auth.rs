//! `pollux auth`: keeps a Gemini key in the keychain of the system.

use std::io::{self, IsTerminal, Read, Write};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use pollux_settings::Environment;

use crate::keychain::{Cleared, IN_PERSON, Keychain, looks_like_a_key};
#[cfg(unix)]
use crate::terminal;

#[derive(Default, clap::Args)]
pub(crate) struct AuthArgs {
    /// Remove the key
    #[arg(long, conflicts_with = "status")]
    clear: bool,
    /// Say whether there is a key; a failure if there is none
    #[arg(long)]
    status: bool,
}

/// Without flags, stores the key that stands on standard input. In a terminal it is asked for, and not shown.
pub(crate) fn run(args: &AuthArgs, environment: &Environment) -> Result<ExitCode> {
    let keychain = Keychain::open(environment, IN_PERSON).context("the keychain cannot be used")?;
    if args.status {
        return match keychain.find().context("the keychain has no answer")? {
            Some(_) => say("There is a Gemini key in the keychain.\n"),
            None => {
                say("There is no Gemini key in the keychain.\n")?;
                Ok(ExitCode::FAILURE)
            }
        };
    }
    if args.clear {
        return match keychain.clear().context("the keychain keeps its key")? {
            Cleared::Removed => say("The key is no longer in the keychain.\n"),
            Cleared::WasEmpty => say("There was no Gemini key in the keychain.\n"),
        };
    }
    let key = key()?;
    let key = key.trim();
    if !looks_like_a_key(key) {
        bail!("that is no key: a key is one word of plain letters, digits and signs");
    }
    keychain
        .store(key)
        .context("the keychain has not taken the key")?;
    say("The key is in the keychain. New sessions use it unless GEMINI_API_KEY is set.\n")
}

fn key() -> Result<String> {
    #[cfg(unix)]
    if io::stdin().is_terminal() {
        return terminal::ask("Gemini API key (not shown): ");
    }
    // More than any key, so that a wrong file is refused instead of read to its end.
    const MOST: u64 = 4096;
    let mut text = String::new();
    io::stdin()
        .take(MOST)
        .read_to_string(&mut text)
        .context("standard input holds no text")?;
    Ok(text)
}

fn say(text: &str) -> Result<ExitCode> {
    let mut stdout = terminal::stdout();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()?;
    Ok(ExitCode::SUCCESS)
}
