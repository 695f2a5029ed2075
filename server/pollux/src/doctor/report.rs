//! The report, for people and for programs.

use std::fmt;
use std::path::{Path, PathBuf};

use pollux_settings::{
    FileReport, FileState, Scope, SkipReason, TrustDecision, TrustSource, Verdict,
};
use pollux_workspace::Rooms;
use serde::{Deserialize, Serialize};

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    pub(crate) version: &'static str,
    pub(crate) platform: String,
    pub(crate) binary: Option<PathBuf>,
    pub(crate) socket: Option<PathBuf>,
    pub(crate) log: PathBuf,
    /// Whether there is one, and a key in it. Never the key.
    pub(crate) keychain: String,
    /// Nothing when no editor is open.
    pub(crate) host: Option<HostReport>,
    pub(crate) folders: Vec<FolderReport>,
    /// The models of a local Ollama.
    pub(crate) ollama: Vec<String>,
    /// Why host and doors cannot meet.
    pub(crate) socket_problem: Option<String>,
    /// Why the host that is there is of no use.
    pub(crate) host_problem: Option<String>,
}

/// How a host is. Also what it tells a door that enters.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct HostReport {
    pub(crate) pid: u32,
    pub(crate) rooms: Vec<RoomLine>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct RoomLine {
    pub(crate) roots: Vec<PathBuf>,
    pub(crate) doors: usize,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FolderReport {
    pub(crate) folder: PathBuf,
    pub(crate) trust: String,
    /// Who would answer here.
    pub(crate) model: String,
    /// How many policy rules are in force.
    pub(crate) rules: usize,
    /// What confines shell commands.
    pub(crate) sandbox: String,
    /// How many sessions are recorded for this folder.
    pub(crate) sessions: usize,
    pub(crate) settings: Vec<SettingsFile>,
    pub(crate) env_file: Option<PathBuf>,
    pub(crate) problems: Vec<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SettingsFile {
    pub(crate) scope: &'static str,
    pub(crate) path: PathBuf,
    pub(crate) state: &'static str,
}

impl Report {
    pub(crate) fn is_healthy(&self) -> bool {
        self.socket_problem.is_none()
            && self.host_problem.is_none()
            && self.folders.iter().all(|folder| folder.problems.is_empty())
    }
}

impl HostReport {
    pub(crate) fn of_this_process(rooms: &Rooms) -> Self {
        let rooms = rooms.report().into_iter().map(|room| RoomLine {
            roots: room.roots,
            doors: room.doors,
        });
        Self {
            pid: std::process::id(),
            rooms: rooms.collect(),
        }
    }
}

impl From<&FileReport> for SettingsFile {
    fn from(file: &FileReport) -> Self {
        Self {
            scope: match file.scope {
                Scope::SystemDefaults => "defaults",
                Scope::User => "user",
                Scope::Workspace => "workspace",
                Scope::System => "system",
            },
            path: file.path.clone(),
            state: match file.state {
                FileState::Missing => "not there",
                FileState::Loaded => "in use",
                FileState::Broken => "broken",
                FileState::Skipped(SkipReason::FolderIsHome) => "is the user's",
                FileState::Skipped(SkipReason::FolderNotTrusted) => "not used: folder not trusted",
                FileState::Skipped(SkipReason::NotSecure) => "not used: not the administrator's",
                FileState::Skipped(SkipReason::ForeignOwner) => {
                    "not used: it belongs to another user"
                }
            },
        }
    }
}

pub(crate) fn trust(decision: &TrustDecision) -> String {
    let verdict = match decision.verdict {
        Verdict::Trusted => "trusted",
        Verdict::Untrusted => "not trusted",
        Verdict::Undecided => "not trusted yet",
    };
    let by = match &decision.source {
        TrustSource::Environment(variable) => format!(", by {variable}"),
        TrustSource::Setting => ", because security.folderTrust.enabled is false".to_owned(),
        TrustSource::Editor => ", by the editor".to_owned(),
        TrustSource::Rule(path) => format!(", by the rule for {}", path.display()),
        TrustSource::BrokenRules => ", because the file of rules is broken".to_owned(),
        TrustSource::Nobody => ": nobody has said".to_owned(),
    };
    format!("{verdict}{by}")
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "pollux {} on {}", self.version, self.platform)?;
        line(
            f,
            "binary",
            path_or(self.binary.as_deref(), "cannot be found"),
        )?;
        match &self.host {
            Some(host) => line(f, "host", format!("runs, process {}", host.pid))?,
            None if self.host_problem.is_some() => line(f, "host", "runs, but not well")?,
            None => line(f, "host", "does not run; the first editor starts it")?,
        }
        line(
            f,
            "socket",
            path_or(self.socket.as_deref(), "cannot be made"),
        )?;
        line(f, "log", self.log.display())?;
        line(f, "keychain", &self.keychain)?;
        if let Some(first) = self.ollama.first() {
            let names = self.ollama.join(", ");
            line(
                f,
                "ollama",
                format!("runs here with {names}; use --model ollama:{first}"),
            )?;
        }
        for room in self.host.iter().flat_map(|host| &host.rooms) {
            let roots: Vec<String> = room
                .roots
                .iter()
                .map(|root| root.display().to_string())
                .collect();
            line(
                f,
                "room",
                format!("{}, {}", roots.join(" and "), count(room.doors, "door")),
            )?;
        }
        for folder in &self.folders {
            writeln!(f)?;
            folder.fmt(f)?;
        }
        writeln!(f)?;
        let problems = self
            .socket_problem
            .iter()
            .chain(&self.host_problem)
            .chain(self.folders.iter().flat_map(|folder| &folder.problems));
        let mut wrong = 0;
        for problem in problems {
            wrong += 1;
            writeln!(f, "wrong: {problem}")?;
        }
        match wrong {
            0 => writeln!(f, "Nothing is wrong."),
            _ => writeln!(f, "{}; everything else works.", count(wrong, "problem")),
        }
    }
}

impl fmt::Display for FolderReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.folder.display())?;
        line(f, "trust", &self.trust)?;
        line(f, "model", &self.model)?;
        line(
            f,
            "policy",
            format!(
                "{} in force; see `pollux policy list`",
                count(self.rules, "rule")
            ),
        )?;
        line(f, "sandbox", &self.sandbox)?;
        line(f, "sessions", format!("{} recorded", self.sessions))?;
        for file in &self.settings {
            let path = file.path.display().to_string();
            // In the home folder there is no workspace file, and so no path to show.
            let path = if path.is_empty() {
                "-".to_owned()
            } else {
                path
            };
            line(f, file.scope, format!("{path}  ({})", file.state))?;
        }
        line(f, ".env", path_or(self.env_file.as_deref(), "none"))
    }
}

fn line(f: &mut fmt::Formatter<'_>, name: &str, value: impl fmt::Display) -> fmt::Result {
    writeln!(f, "  {name:<10} {value}")
}

fn path_or(path: Option<&Path>, otherwise: &str) -> String {
    path.map_or_else(|| otherwise.to_owned(), |path| path.display().to_string())
}

fn count(number: usize, thing: &str) -> String {
    match number {
        1 => format!("1 {thing}"),
        _ => format!("{number} {thing}s"),
    }
}
