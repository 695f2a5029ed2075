//! `pollux mcp-servers`: which servers are configured, and whether they answer.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use clap::{Args, Subcommand, ValueEnum};
use pollux_agent::{Offering, ServerStanding, Servers};
use pollux_mcp::connect::{
    Authorization, Block, Connections, Gates, Planned, ServerConfig, Setup, Switch, Trusted,
};
use pollux_model::{Http, NetworkOptions};
use pollux_settings::{EditorTrust, Environment, Loaded, Severity, WorkspaceIsHome};

use super::edit::{self, Done};
use super::entry::Entry;
use super::{Pauses, Source, authorization, enablement, means, person, settled_within};
use super::{source, strange_rules};
use crate::policy::{Loading, PolicyFiles};
use crate::terminal;

/// How long a server may take to answer, for whoever looks at a list.
const PATIENCE: Duration = Duration::from_secs(5);
/// For whoever tries out a single one, which may have to be downloaded first.
const LONG_PATIENCE: Duration = Duration::from_secs(60);

#[derive(Args)]
pub(crate) struct McpServersArgs {
    #[command(subcommand)]
    command: McpServersCommand,
}

#[derive(Subcommand)]
enum McpServersCommand {
    /// The configured servers, and whether they can be reached
    List(At),
    /// Configure a server
    Add(Box<AddServer>),
    /// Take a server out of a settings file
    Remove {
        name: String,
        /// Whose settings
        #[arg(short, long, value_enum, default_value_t = Scope::Project)]
        scope: Scope,
        #[command(flatten)]
        at: At,
    },
    /// Switch a server on again
    Enable {
        name: String,
        #[command(flatten)]
        at: At,
    },
    /// Switch a server off, everywhere
    Disable {
        name: String,
        #[command(flatten)]
        at: At,
    },
    /// Sign in at a server that wants it
    Auth {
        name: String,
        /// Sign out instead: delete what is stored
        #[arg(long)]
        remove: bool,
        #[command(flatten)]
        at: At,
    },
    /// Connect one server, and say what it offers
    Test {
        name: String,
        #[command(flatten)]
        at: At,
    },
}

#[derive(Args)]
struct At {
    /// The workspace folder; the current one if left out
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
}

#[derive(Args)]
struct AddServer {
    #[command(flatten)]
    entry: Entry,
    /// Whose settings
    #[arg(short, long, value_enum, default_value_t = Scope::Project)]
    scope: Scope,
    #[command(flatten)]
    at: At,
}

#[derive(Clone, Copy, ValueEnum)]
enum Scope {
    /// Yours, for every folder
    User,
    /// Those of this folder
    Project,
}

pub(crate) fn run(arguments: &McpServersArgs, environment: &Environment) -> Result<ExitCode> {
    match &arguments.command {
        McpServersCommand::List(at) => list(&Folder::open(at, environment)?),
        McpServersCommand::Test { name, at } => test(&Folder::open(at, environment)?, name),
        McpServersCommand::Auth { name, remove, at } => {
            let folder = Folder::open(at, environment)?;
            match remove {
                true => sign_out(&folder, name),
                false => auth(&folder, name),
            }
        }
        McpServersCommand::Add(add) => {
            let folder = Folder::open(&add.at, environment)?;
            let file = folder.file(add.scope)?;
            let done = edit::add(file, &add.entry.name, add.entry.value()?)?;
            let what = match done {
                Done::Replaced => "replaced",
                Done::Added | Done::Removed | Done::NotThere => "added",
            };
            say(&format!(
                "{} is {what} in {}",
                add.entry.name,
                file.display()
            ))?;
            match folder.gates().trusted {
                Trusted::Yes => Ok(ExitCode::SUCCESS),
                Trusted::No => say(&format!("It is off: {}.", Block::Untrusted)),
            }
        }
        McpServersCommand::Remove { name, scope, at } => {
            let folder = Folder::open(at, environment)?;
            let file = folder.file(*scope)?;
            match edit::remove(file, name)? {
                Done::NotThere => bail!(folder.not_there(name, *scope, file)),
                _ => say(&format!("{name} is not in {} any more", file.display())),
            }
        }
        McpServersCommand::Enable { name, at } => {
            switch(&Folder::open(at, environment)?, name, Switch::On)
        }
        McpServersCommand::Disable { name, at } => {
            switch(&Folder::open(at, environment)?, name, Switch::Off)
        }
    }
}

struct Folder {
    source: Source,
    loaded: Loaded,
}

impl Folder {
    fn open(at: &At, environment: &Environment) -> Result<Self> {
        let folder = match &at.cwd {
            Some(folder) => folder.clone(),
            None => crate::environment::door_context(environment).folder,
        };
        let folder = folder
            .canonicalize()
            .with_context(|| format!("{} is no folder", folder.display()))?;
        let source = Source {
            environment: environment.clone(),
            folder,
            trust: EditorTrust::Unsaid,
            given: Default::default(),
            allowed: Vec::new(),
        };
        let loaded = source.load();
        Ok(Self { source, loaded })
    }

    fn file(&self, scope: Scope) -> Result<&Path> {
        let locations = &self.loaded.locations;
        match scope {
            Scope::User => Ok(&locations.user),
            Scope::Project if locations.workspace_is_home == WorkspaceIsHome::Yes => {
                bail!(
                    "this is your home folder, which has no settings of its own; use --scope user"
                )
            }
            Scope::Project => Ok(&locations.workspace),
        }
    }

    /// Where a server is that is not in the file somebody means.
    fn not_there(&self, name: &str, scope: Scope, file: &Path) -> String {
        let (other, option) = match scope {
            Scope::User => (Scope::Project, "project"),
            Scope::Project => (Scope::User, "user"),
        };
        let is_in = |file: &Path| edit::names(file).iter().any(|known| known == name);
        match self.file(other) {
            Ok(other) if is_in(other) => {
                let (file, other) = (file.display(), other.display());
                format!(
                    "there is no server {name} in {file}; there is one in {other}, which --scope {option} means"
                )
            }
            _ => format!("there is no server {name} in {}", file.display()),
        }
    }

    fn http(&self) -> Http {
        let environment = &self.source.environment;
        let lookup = |name: &str| environment.get(name).map(str::to_owned);
        Http::new(NetworkOptions::from_env(lookup))
    }

    /// Also what a folder that is not trusted has in its own settings, by name: whoever looks for a server here is
    /// told why it is off.
    fn setup(&self) -> Setup {
        let mut setup = self.source.setup_of(&self.loaded, &Default::default());
        let gates = self.gates();
        if gates.trusted == Trusted::Yes {
            return setup;
        }
        for name in self
            .file(Scope::Project)
            .map(edit::names)
            .unwrap_or_default()
        {
            let is_known = setup.servers.iter().any(|(known, _)| *known == name);
            if let (false, Some(block)) = (is_known, gates.block(&name)) {
                setup
                    .servers
                    .push((name, Planned::Blocked(block.to_string())));
            }
        }
        setup.servers.sort_by(|(one, _), (other, _)| one.cmp(other));
        setup
    }

    fn gates(&self) -> Gates {
        source::gates(&self.loaded)
    }
}

/// A server by its name; lists do not tell capital letters from small ones, and nor does this where nothing is called
/// exactly so.
fn named<'a>(servers: &'a [(String, Planned)], name: &str) -> Result<&'a (String, Planned)> {
    let normal = |name: &str| name.trim().to_lowercase();
    let exact = servers.iter().find(|(known, _)| known == name);
    let alike = || {
        let mut servers = servers.iter();
        servers.find(|(known, _)| normal(known) == normal(name))
    };
    exact
        .or_else(alike)
        .with_context(|| format!("there is no server {name}; `pollux mcp-servers list` shows all"))
}

/// A server that can be connected, or why it cannot.
fn usable((name, planned): &(String, Planned)) -> Result<&ServerConfig> {
    match planned {
        Planned::Connect(config) => Ok(config),
        Planned::Blocked(reason) => bail!("{name} is off: {reason}"),
        Planned::Broken(reason) => bail!("{name} cannot be connected: {reason}"),
    }
}

fn switch(folder: &Folder, name: &str, switch: Switch) -> Result<ExitCode> {
    let servers = folder.setup().servers;
    let (known, _) = named(&servers, name)?;
    let switched = enablement::switch(&folder.loaded.locations, known, switch);
    switched.map_err(anyhow::Error::msg)?;
    say(&match switch {
        Switch::On => format!("{known} is switched on"),
        Switch::Off => format!("{known} is switched off"),
    })
}

fn list(folder: &Folder) -> Result<ExitCode> {
    let setup = folder.setup();
    if setup.servers.is_empty() {
        let mut out = terminal::stdout();
        writeln!(out, "No MCP servers are configured.")?;
        tell_of_settings(folder, &mut out)?;
        return Ok(ExitCode::SUCCESS);
    }
    let offering = connected(folder, setup, PATIENCE)?;
    let mut out = terminal::stdout();
    for state in &offering.states {
        let mark = match &state.standing {
            ServerStanding::Connected => "✓",
            ServerStanding::Connecting => "…",
            ServerStanding::Failed { .. } | ServerStanding::NeedsAuthentication => "✗",
            ServerStanding::Blocked { .. } => "-",
        };
        writeln!(out, "{mark} {}: {}", state.server, state.standing)?;
    }
    tell_of_settings(folder, &mut out)?;
    tell_of_rules(folder, &offering, &mut out)?;
    Ok(ExitCode::SUCCESS)
}

fn test(folder: &Folder, name: &str) -> Result<ExitCode> {
    let mut setup = folder.setup();
    let server = named(&setup.servers, name)?.clone();
    usable(&server)?;
    let name = server.0.clone();
    setup.servers = vec![server];
    let offering = connected(folder, setup, LONG_PATIENCE)?;
    let Some(state) = offering.states.first() else {
        bail!("there is no server {name}");
    };
    if state.standing != ServerStanding::Connected {
        bail!("{name} is {}", state.standing);
    }
    let mut out = terminal::stdout();
    writeln!(out, "{name} is connected.")?;
    for tool in &offering.tools {
        writeln!(out, "  tool {} ({})", tool.tool, tool.name)?;
    }
    for (tool, reason) in &state.left_out {
        writeln!(out, "  tool {tool} is left out: {reason}")?;
    }
    for prompt in &offering.prompts {
        writeln!(out, "  prompt /{}", prompt.name)?;
    }
    for resource in &offering.resources {
        writeln!(out, "  resource {}", resource.uri)?;
    }
    tell_of_rules(folder, &offering, &mut out)?;
    Ok(ExitCode::SUCCESS)
}

/// A file that cannot be read has no servers, and so has one that names them wrongly.
fn tell_of_settings(folder: &Folder, out: &mut impl Write) -> Result<()> {
    for problem in &folder.loaded.problems {
        let is_about_servers = problem.message.starts_with("`mcp");
        if problem.severity == Severity::Error || is_about_servers {
            writeln!(out, "! {problem}")?;
        }
    }
    Ok(())
}

/// Whoever looks at servers hears of rules that mean none of their tools.
fn tell_of_rules(folder: &Folder, offering: &Offering, out: &mut impl Write) -> Result<()> {
    let policy = PolicyFiles::load(&Loading {
        loaded: &folder.loaded,
        folder: &folder.source.folder,
        instead: &[],
        allowed: &[],
    });
    for problem in strange_rules::of(&policy.policy.rules(), offering) {
        writeln!(out, "! policy {problem}")?;
    }
    Ok(())
}

fn auth(folder: &Folder, name: &str) -> Result<ExitCode> {
    let servers = folder.setup().servers;
    let config = usable(named(&servers, name)?)?;
    let environment = &folder.source.environment;
    let person = Arc::new(person::AtTerminal);
    let oauth = authorization(&folder.http(), environment, &folder.loaded, person);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let news = oauth.news();
    let told = runtime.block_on(oauth.sign_in(Some(config)));
    match news.has_changed() {
        Ok(true) => say(&told),
        Ok(false) | Err(_) => bail!(told),
    }
}

/// Also for a server that is not configured any more: its token may still be there.
fn sign_out(folder: &Folder, name: &str) -> Result<ExitCode> {
    let servers = folder.setup().servers;
    let name = named(&servers, name).map_or(name, |(known, _)| known);
    let person = Arc::new(person::AtTerminal);
    let environment = &folder.source.environment;
    let oauth = authorization(&folder.http(), environment, &folder.loaded, person);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    match runtime.block_on(oauth.sign_out(name)) {
        Ok(told) => say(&told),
        Err(problem) => bail!(problem),
    }
}

/// What servers offer, once they have answered or had the time to.
fn connected(folder: &Folder, setup: Setup, patience: Duration) -> Result<Arc<Offering>> {
    let environment = &folder.source.environment;
    let http = folder.http();
    let person = Arc::new(person::InEditor::without_one());
    let authorization = authorization(&http, environment, &folder.loaded, person);
    let means = means(http, authorization, Pauses::at_once());
    let means = means.context("this program does not know where it lies")?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    Ok(runtime.block_on(async {
        let source = Arc::new(folder.source.clone());
        let connections = Connections::start(setup, source, means);
        settled_within(&connections, patience).await;
        connections.offering()
    }))
}

fn say(text: &str) -> Result<ExitCode> {
    writeln!(terminal::stdout(), "{text}")?;
    Ok(ExitCode::SUCCESS)
}
