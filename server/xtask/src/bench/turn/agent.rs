//! A program that answers a prompt without a screen: ours, or a peer that does the same.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;
use serde_json::{Value, json};

use super::super::place::Place;

/// One that needs no routing call before the first answer.
pub(super) const MODEL: &str = "gemini-2.5-flash";

const PROMPT: &str = "Explain what this program does.";

#[derive(Clone)]
pub(super) struct Agent {
    pub(super) name: &'static str,
    pub(super) program: PathBuf,
    pub(super) kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Pollux,
    /// gemini-cli starts a second process of itself unless it is told not to.
    GeminiCli,
    GeminiCliWithoutRelaunch,
    /// Speaks the Agent Client Protocol only.
    CodexAcp,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum LoopDetection {
    On,
    Off,
}

/// Which tools the model is told of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Tools {
    /// Those that run without asking, as nobody is there to be asked.
    Harmless,
    /// Also those that write files and run commands.
    All,
}

impl Agent {
    /// A place where this agent talks to the model at `url` and to nobody else.
    pub(super) fn settle(&self, place: &mut Place, url: &str, loops: LoopDetection) -> Result<()> {
        self.settle_as(place, url, &settings(loops))
    }

    /// The same with these tool servers.
    pub(super) fn settle_with(&self, place: &mut Place, url: &str, servers: &Value) -> Result<()> {
        let mut settings = settings(LoopDetection::On);
        if let Some(settings) = settings.as_object_mut() {
            settings.insert("mcpServers".to_owned(), servers.clone());
        }
        self.settle_as(place, url, &settings)
    }

    fn settle_as(&self, place: &mut Place, url: &str, settings: &Value) -> Result<()> {
        place.write_settings(settings)?;
        place.set("GEMINI_API_KEY", "x");
        place.set("GOOGLE_GEMINI_BASE_URL", url);
        place.set("GEMINI_CLI_TRUST_WORKSPACE", "true");
        if self.kind == Kind::GeminiCliWithoutRelaunch {
            place.set("GEMINI_CLI_NO_RELAUNCH", "1");
        }
        Ok(())
    }

    pub(super) fn headless(&self, place: &Place, tools: Tools) -> Result<Command> {
        let mut command = place.command(&self.program)?;
        self.arguments(&mut command, tools);
        Ok(command)
    }

    /// Those with which it is an agent behind a client.
    pub(super) fn acp_arguments(&self, command: &mut Command) {
        match self.kind {
            Kind::Pollux => command.arg("acp"),
            Kind::CodexAcp => command,
            Kind::GeminiCli | Kind::GeminiCliWithoutRelaunch => {
                command.args(["--acp", "--model", MODEL])
            }
        };
    }

    pub(super) fn arguments(&self, command: &mut Command, tools: Tools) {
        match self.kind {
            Kind::Pollux => command.args(["run", "--skip-trust", "--output-format", "stream-json"]),
            _ => command.args(["--output-format", "stream-json"]),
        };
        if tools == Tools::All {
            command.args(["--approval-mode", "yolo"]);
        }
        command.args(["--model", MODEL, "--prompt", PROMPT]);
    }
}

/// Without these gemini-cli asks for a way to sign in, looks for updates and reports its use.
fn settings(loops: LoopDetection) -> Value {
    json!({
        "security": {
            "auth": { "selectedType": "gemini-api-key" },
            "folderTrust": { "enabled": false },
        },
        "privacy": { "usageStatisticsEnabled": false },
        "telemetry": { "enabled": false },
        "general": { "enableAutoUpdate": false, "enableAutoUpdateNotification": false },
        "model": { "disableLoopDetection": loops == LoopDetection::Off },
    })
}
