//! What `pollux mcp-servers add` writes, and what of it could never work.

#[cfg(test)]
mod tests;

use anyhow::{Context as _, Result, bail, ensure};
use clap::{Args, ValueEnum};
use pollux_mcp::connect::is_refused;
use serde_json::{Map, Value, json};

#[derive(Args)]
pub(super) struct Entry {
    /// What you call it
    pub(super) name: String,
    /// The program, or the address for http and sse
    command_or_url: String,
    /// Arguments of the program; behind `--` they may begin with a hyphen
    args: Vec<String>,
    /// How it is reached
    #[arg(short, long, visible_alias = "type", value_enum, default_value_t = Transport::Stdio)]
    transport: Transport,
    /// A variable for the program
    #[arg(short, long, value_name = "NAME=VALUE")]
    env: Vec<String>,
    /// A header for every request, of http and sse
    #[arg(short = 'H', long, value_name = "NAME: VALUE")]
    header: Vec<String>,
    /// How long it may take to answer, in milliseconds
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    timeout: Option<u64>,
    /// Do not ask before its tools are called
    #[arg(long)]
    trust: bool,
    /// What it is there for, in your own words
    #[arg(long)]
    description: Option<String>,
    /// Only these tools
    #[arg(long, value_delimiter = ',', value_name = "TOOL,…")]
    include_tools: Vec<String>,
    /// All but these tools
    #[arg(long, value_delimiter = ',', value_name = "TOOL,…")]
    exclude_tools: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Transport {
    /// It is started here
    Stdio,
    /// By the older of the two ways over the network
    Sse,
    /// Over the network
    Http,
}

impl Entry {
    /// As the settings have it.
    pub(super) fn value(&self) -> Result<Value> {
        ensure!(!self.name.trim().is_empty(), "a server needs a name");
        let mut entry = match self.transport {
            Transport::Stdio => self.program()?,
            Transport::Sse => self.address("sse")?,
            Transport::Http => self.address("http")?,
        };
        if let Some(timeout) = self.timeout {
            entry.insert("timeout".to_owned(), json!(timeout));
        }
        if self.trust {
            entry.insert("trust".to_owned(), json!(true));
        }
        if let Some(description) = &self.description {
            entry.insert("description".to_owned(), json!(description));
        }
        for (name, tools) in [
            ("includeTools", &self.include_tools),
            ("excludeTools", &self.exclude_tools),
        ] {
            if !tools.is_empty() {
                entry.insert(name.to_owned(), json!(tools));
            }
        }
        Ok(Value::Object(entry))
    }

    fn program(&self) -> Result<Map<String, Value>> {
        let program = &self.command_or_url;
        if is_address(program) {
            bail!(
                "{program} is an address and no program; say `-t http`, or `-t sse` for an older server"
            );
        }
        ensure!(
            !program.trim().is_empty(),
            "the name of the program is empty"
        );
        ensure!(
            self.header.is_empty(),
            "`--header` is for `-t http` and `-t sse`; a program has `--env`"
        );
        let mut entry = Map::from_iter([("command".to_owned(), json!(program))]);
        if !self.args.is_empty() {
            entry.insert("args".to_owned(), json!(self.args));
        }
        let env = pairs(&self.env, '=')?;
        for name in env.keys() {
            ensure!(!name.is_empty(), "a variable needs a name");
            ensure!(
                !is_refused(name),
                "a server cannot have {name}: it would load code into other programs"
            );
        }
        if !env.is_empty() {
            entry.insert("env".to_owned(), Value::Object(env));
        }
        Ok(entry)
    }

    fn address(&self, kind: &str) -> Result<Map<String, Value>> {
        let url = &self.command_or_url;
        ensure!(
            is_address(url),
            "{url} is no address that begins with http:// or https://"
        );
        ensure!(
            self.args.is_empty(),
            "an address takes no arguments: {}",
            self.args.join(" ")
        );
        ensure!(
            self.env.is_empty(),
            "`--env` is for programs; an address has `--header`"
        );
        let mut entry = Map::from_iter([
            ("url".to_owned(), json!(url)),
            ("type".to_owned(), json!(kind)),
        ]);
        let headers = pairs(&self.header, ':')?;
        for name in headers.keys() {
            let is_token =
                |letter: char| letter.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(letter);
            let is_name = !name.is_empty() && name.chars().all(is_token);
            ensure!(is_name, "`{name}` is no name of a header");
        }
        if !headers.is_empty() {
            entry.insert("headers".to_owned(), Value::Object(headers));
        }
        Ok(entry)
    }
}

fn is_address(text: &str) -> bool {
    let scheme = text.split_once("://").map(|(scheme, _)| scheme);
    scheme.is_some_and(|scheme| {
        ["http", "https"]
            .iter()
            .any(|known| known.eq_ignore_ascii_case(scheme))
    })
}

/// Only the first mark parts a name from its value: values may have more of them.
fn pairs(words: &[String], mark: char) -> Result<Map<String, Value>> {
    let pair = |word: &String| {
        let (name, value) = word
            .split_once(mark)
            .with_context(|| format!("`{word}` has no `{mark}` in it"))?;
        Ok((name.trim().to_owned(), Value::from(value.trim())))
    };
    words.iter().map(pair).collect()
}
