//! `pollux policy`: what would be decided and why, what the rules are, whether they do what they should.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use clap::{Args, Subcommand};
use pollux_policy::{
    ApprovalMode, Call, ConditionInfo, Context, PartVerdict, Presence, RuleInfo, RulePlace,
    ToolPattern, Trust, Verdict, parse_cases, saved, unknown_tool,
};
use pollux_settings::{EditorTrust, Environment};
use serde_json::{Map, Value, json};

use super::view::{CommandEnvironment, DiskView};
use super::{Loading, PolicyFiles, saving};
use crate::terminal::{PlainOutput, complain};

#[derive(Args)]
pub(crate) struct PolicyArgs {
    #[command(subcommand)]
    command: PolicyCommand,
}

#[derive(Subcommand)]
enum PolicyCommand {
    /// What would be decided about a call, by which rule, and why
    Explain {
        /// A shell command, as it would be typed
        #[arg(value_name = "COMMAND", conflicts_with_all = ["tool", "args"])]
        command: Option<String>,
        /// The tool: run_shell_command, write_file, …
        #[arg(long, value_name = "NAME", required_unless_present = "command")]
        tool: Option<String>,
        /// Its arguments, as a JSON object
        #[arg(long, value_name = "JSON", default_value = "{}")]
        args: String,
        #[command(flatten)]
        place: PlaceArgs,
    },
    /// Run a table of cases, and say which ones are decided otherwise than expected
    Test {
        /// A TOML file with a `[[case]]` for each
        file: PathBuf,
        #[command(flatten)]
        place: PlaceArgs,
    },
    /// All rules in force, the strongest first
    List {
        #[command(flatten)]
        place: PlaceArgs,
    },
    /// What was allowed for good, and how to take it back
    Approvals {
        /// Take back the approval of this number
        #[arg(long, value_name = "NUMBER")]
        remove: Option<usize>,
        #[command(flatten)]
        place: PlaceArgs,
    },
}

#[derive(Args)]
struct PlaceArgs {
    /// default, auto_edit, yolo or plan
    #[arg(long, default_value = "default", value_parser = mode)]
    mode: ApprovalMode,
    /// The workspace folder; the current one if left out
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
    /// Whether somebody could be asked
    #[arg(long, value_name = "BOOL", default_value_t = true, action = clap::ArgAction::Set)]
    interactive: bool,
    /// Rule files instead of the user's own
    #[arg(long, value_name = "PATH")]
    policy: Vec<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

fn mode(text: &str) -> Result<ApprovalMode, String> {
    ApprovalMode::parse(text)
        .ok_or_else(|| "it is one of default, auto_edit, yolo and plan".to_owned())
}

/// A loaded policy and where it is asked.
struct Place {
    files: PolicyFiles,
    roots: Vec<PathBuf>,
    environment: CommandEnvironment,
    trust: Trust,
    mode: ApprovalMode,
    presence: Presence,
}

impl Place {
    fn open(args: &PlaceArgs, environment: &Environment) -> Result<Self> {
        let folder = match &args.cwd {
            Some(folder) => folder.clone(),
            None => crate::environment::door_context(environment).folder,
        };
        let folder = folder
            .canonicalize()
            .with_context(|| format!("{} is no folder", folder.display()))?;
        let loaded = pollux_settings::load(environment, &folder, EditorTrust::Unsaid);
        let files = PolicyFiles::load(&Loading {
            loaded: &loaded,
            folder: &folder,
            instead: &args.policy,
            allowed: &[],
        });
        for problem in &files.problems {
            complain(&problem.to_string());
        }
        Ok(Self {
            files,
            roots: vec![folder],
            environment: loaded.env.iter().collect(),
            trust: match loaded.trust.is_trusted() {
                true => Trust::Trusted,
                false => Trust::Untrusted,
            },
            mode: args.mode,
            presence: match args.interactive {
                true => Presence::Interactive,
                false => Presence::Headless,
            },
        })
    }

    fn view(&self) -> DiskView<'_> {
        DiskView {
            roots: &self.roots,
            environment: &self.environment,
        }
    }

    fn context<'a>(&'a self, view: &'a DiskView<'a>) -> Context<'a> {
        Context {
            mode: self.mode,
            presence: self.presence,
            trust: self.trust,
            cwd: self.roots.first().map_or(Path::new("/"), PathBuf::as_path),
            roots: &self.roots,
            view,
        }
    }
}

pub(crate) fn run(args: &PolicyArgs, environment: &Environment) -> Result<ExitCode> {
    match &args.command {
        PolicyCommand::Explain {
            command: Some(command),
            place,
            ..
        } => {
            let args = json!({ "command": command }).to_string();
            explain("run_shell_command", &args, place, environment)
        }
        PolicyCommand::Explain {
            tool, args, place, ..
        } => explain(
            tool.as_deref().unwrap_or_default(),
            args,
            place,
            environment,
        ),
        PolicyCommand::Test { file, place } => test(file, place, environment),
        PolicyCommand::List { place } => list(place, environment),
        PolicyCommand::Approvals { remove, place } => approvals(*remove, place, environment),
    }
}

fn explain(
    tool: &str,
    args: &str,
    place_args: &PlaceArgs,
    environment: &Environment,
) -> Result<ExitCode> {
    if let Some(unknown) = unknown_tool(tool) {
        bail!("{unknown}");
    }
    let args: Map<String, Value> =
        serde_json::from_str(args).context("--args takes a JSON object")?;
    let place = Place::open(place_args, environment)?;
    let call = Call {
        tool,
        args: &args,
        server: None,
        subagent: None,
        annotations: None,
    };
    let verdict = place
        .files
        .policy
        .decide(&call, &place.context(&place.view()));
    if place_args.json {
        return print(&(serde_json::to_string_pretty(&verdict)? + "\n"));
    }
    print(&shown(&verdict))
}

fn shown(verdict: &Verdict) -> String {
    let mut text = format!("{}: {}\n", verdict.decision.as_str(), verdict.reason);
    if let Some(rule) = &verdict.rule {
        text += &format!("  rule: {}\n", place_of(rule));
    }
    if let Some(message) = &verdict.deny_message {
        text += &format!("  the model is told: {message}\n");
    }
    for part in &verdict.parts {
        text += &shown_part(part);
    }
    text
}

fn shown_part(part: &PartVerdict) -> String {
    let rule = part.rule.as_ref().map(place_of);
    let rule = rule.map(|rule| format!(" ({rule})")).unwrap_or_default();
    format!(
        "  {}: `{}`: {}{rule}\n",
        part.decision.as_str(),
        part.text,
        part.reason
    )
}

fn place_of(rule: &RulePlace) -> String {
    match rule.line {
        Some(line) => format!("{}:{line}", rule.source),
        None => rule.source.clone(),
    }
}

fn test(file: &Path, place_args: &PlaceArgs, environment: &Environment) -> Result<ExitCode> {
    let text = std::fs::read_to_string(file)
        .with_context(|| format!("{} cannot be read", file.display()))?;
    let cases = match parse_cases(&text) {
        Ok(cases) => cases,
        Err(error) => {
            let line = error
                .line
                .map(|line| format!(":{line}"))
                .unwrap_or_default();
            complain(&format!("{}{line}: {error}", file.display()));
            return Ok(ExitCode::FAILURE);
        }
    };
    let place = Place::open(place_args, environment)?;
    let view = place.view();
    let context = place.context(&view);
    let results: Vec<_> = cases
        .iter()
        .map(|case| case.run(&place.files.policy, &context))
        .collect();
    let failed = results.iter().filter(|result| !result.passed).count();
    if place_args.json {
        print(&(serde_json::to_string_pretty(&results)? + "\n"))?;
    } else {
        let mut text = String::new();
        for result in results.iter().filter(|result| !result.passed) {
            let line = result
                .line
                .map(|line| format!(":{line}"))
                .unwrap_or_default();
            let name = result.name.as_deref().unwrap_or(&result.tool);
            text += &format!(
                "{}{line}: {name}: expected {}, got {}",
                file.display(),
                result.expected.as_str(),
                shown(&result.verdict)
            );
        }
        text += &format!("{} passed, {failed} failed\n", results.len() - failed);
        print(&text)?;
    }
    Ok(match failed {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    })
}

fn list(place_args: &PlaceArgs, environment: &Environment) -> Result<ExitCode> {
    let place = Place::open(place_args, environment)?;
    let rules = place.files.policy.rules();
    if place_args.json {
        return print(&(serde_json::to_string_pretty(&rules)? + "\n"));
    }
    let lines: Vec<String> = rules.iter().map(line_of).collect();
    print(&lines.concat())
}

/// `4.950 allow  run_shell_command  git status*  ~/.gemini/policies/auto-saved.toml:3`
fn line_of(rule: &RuleInfo) -> String {
    let condition = match &rule.condition {
        ConditionInfo::Always => String::new(),
        ConditionInfo::CommandPrefix(prefix) => format!(" `{prefix}`…"),
        ConditionInfo::CommandRegex(regex) => format!(" command ~ {regex}"),
        ConditionInfo::ArgsPattern(pattern) => format!(" arguments ~ {pattern}"),
        ConditionInfo::Unreadable(pattern) => format!(" (unreadable pattern {pattern})"),
    };
    let mut limits = Vec::new();
    if let Some(modes) = &rule.modes {
        let modes: Vec<&str> = modes.iter().map(|mode| mode.as_str()).collect();
        limits.push(modes.join(", "));
    }
    match rule.presence {
        Some(Presence::Interactive) => limits.push("interactive".to_owned()),
        Some(Presence::Headless) => limits.push("headless".to_owned()),
        None => {}
    }
    let limits = match limits.is_empty() {
        true => String::new(),
        false => format!(" [{}]", limits.join("; ")),
    };
    // Patterns hold NUL for the borders of arguments, which no terminal shows.
    let line = format!(
        "{} {:5} {}{condition}{limits}  {}\n",
        rule.rank,
        rule.decision.as_str(),
        tools(&rule.tools),
        place_of(&rule.place)
    );
    line.replace('\0', "\\0")
}

fn tools(pattern: &ToolPattern) -> String {
    match &pattern.server {
        Some(server) => format!("{} of {server}", pattern.tool),
        None => pattern.tool.clone(),
    }
}

fn approvals(
    remove: Option<usize>,
    place_args: &PlaceArgs,
    environment: &Environment,
) -> Result<ExitCode> {
    let place = Place::open(place_args, environment)?;
    let files = [
        ("everywhere", &place.files.user_approvals),
        ("in this workspace", &place.files.workspace_approvals),
    ];
    let mut number = 0;
    let mut shown = Vec::new();
    for (scope, file) in files {
        let text = saving::read(file).map_err(anyhow::Error::msg)?;
        for rule in saved::list(&text)? {
            number += 1;
            if remove == Some(number) {
                saving::remove(file, rule.index).map_err(anyhow::Error::msg)?;
                return print(&format!("Approval {number} is taken back.\n"));
            }
            shown.push((number, scope, file, rule));
        }
    }
    if let Some(number) = remove {
        complain(&format!("there is no approval number {number}"));
        return Ok(ExitCode::FAILURE);
    }
    if place_args.json {
        let list: Vec<Value> = shown
            .iter()
            .map(|(number, scope, file, rule)| {
                json!({ "number": number, "scope": scope, "file": file, "rule": rule })
            })
            .collect();
        return print(&(serde_json::to_string_pretty(&list)? + "\n"));
    }
    if shown.is_empty() {
        return print("Nothing is allowed for good.\n");
    }
    let lines: Vec<String> = shown
        .iter()
        .map(|(number, scope, file, rule)| {
            let line = rule.line.map(|line| format!(":{line}")).unwrap_or_default();
            let what = match (rule.command_prefix.as_slice(), &rule.args_pattern) {
                ([], None) => String::new(),
                ([], Some(pattern)) => format!(" {pattern}"),
                (prefixes, _) => format!(" `{}`", prefixes.join("`, `")),
            };
            format!(
                "{number}. {}{what}, {scope}  ({}{line})\n",
                rule.tool.join(", "),
                file.display()
            )
        })
        .collect();
    print(&lines.concat())
}

/// To a pipe that may be closed early, which is no failure.
fn print(text: &str) -> Result<ExitCode> {
    let is_json = text.starts_with(['{', '[']);
    let stdout = io::stdout().lock();
    let mut stdout = match is_json {
        true => PlainOutput::json(stdout),
        false => PlainOutput::text(stdout),
    };
    match stdout.write_all(text.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(ExitCode::SUCCESS),
    }
}
