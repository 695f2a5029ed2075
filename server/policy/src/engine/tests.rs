//! The engine over whole policies. Tests named `behaviour_NN` are the twin's behaviours of that number.

mod behaviours;
mod commands;
mod inert;
mod laws;
mod paths;
mod red_team;

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use crate::*;

/// A policy and a situation to ask it in.
pub(crate) struct World {
    pub(crate) policy: Policy,
    pub(crate) problems: Vec<Problem>,
    pub(crate) mode: ApprovalMode,
    pub(crate) presence: Presence,
    pub(crate) trust: Trust,
}

impl World {
    pub(crate) fn shipped() -> Self {
        Self::with(&[], SettingsRules::default())
    }

    pub(crate) fn user(rules: &str) -> Self {
        Self::with(&[(Tier::User, rules)], SettingsRules::default())
    }

    pub(crate) fn settings(settings: SettingsRules) -> Self {
        Self::with(&[], settings)
    }

    pub(crate) fn with(files: &[(Tier, &str)], settings: SettingsRules) -> Self {
        Self::with_options(files, settings, Options::default())
    }

    pub(crate) fn with_options(
        files: &[(Tier, &str)],
        settings: SettingsRules,
        options: Options,
    ) -> Self {
        let files: Vec<RuleFile> = files
            .iter()
            .map(|(tier, text)| RuleFile {
                source: format!("{tier:?}.toml"),
                text: (*text).to_owned(),
                tier: *tier,
            })
            .collect();
        let (policy, problems) = Policy::assemble(&files, &settings, options);
        Self {
            policy,
            problems,
            mode: ApprovalMode::Default,
            presence: Presence::Interactive,
            trust: Trust::Trusted,
        }
    }

    pub(crate) fn mode(mut self, mode: ApprovalMode) -> Self {
        self.mode = mode;
        self
    }

    pub(crate) fn headless(mut self) -> Self {
        self.presence = Presence::Headless;
        self
    }

    pub(crate) fn untrusted(mut self) -> Self {
        self.trust = Trust::Untrusted;
        self
    }

    /// Paths are where they say, except that `/ws/link` leads to `/elsewhere`.
    pub(crate) fn in_context<T>(&self, use_it: impl FnOnce(&Context<'_>) -> T) -> T {
        let resolve = |path: &Path| -> Option<PathBuf> {
            Some(match path.strip_prefix("/ws/link") {
                Ok(rest) => Path::new("/elsewhere").join(rest),
                Err(_) if path == Path::new("/ws/sub/rc") => PathBuf::from("/home/ada/.bashrc"),
                Err(_) => path.to_owned(),
            })
        };
        let view = TestView { resolve: &resolve };
        use_it(&Context {
            mode: self.mode,
            presence: self.presence,
            trust: self.trust,
            cwd: Path::new("/ws"),
            roots: &[PathBuf::from("/ws")],
            view: &view,
        })
    }

    pub(crate) fn shell_in(&self, folder: &str, command: &str) -> Decision {
        let args = json!({ "command": command, "dir_path": folder });
        self.decide("run_shell_command", args)
    }

    pub(crate) fn verdict(&self, tool: &str, args: Value) -> Verdict {
        self.verdict_of(tool, None, args, json!({}))
    }

    pub(crate) fn verdict_of(
        &self,
        tool: &str,
        server: Option<&str>,
        args: Value,
        annotations: Value,
    ) -> Verdict {
        let (args, annotations) = (object(args), object(annotations));
        let call = Call {
            server,
            annotations: Some(&annotations),
            ..call(tool, &args)
        };
        self.in_context(|context| self.policy.decide(&call, context))
    }

    pub(crate) fn decide(&self, tool: &str, args: Value) -> Decision {
        self.verdict(tool, args).decision
    }

    pub(crate) fn shell(&self, command: &str) -> Decision {
        self.decide("run_shell_command", json!({ "command": command }))
    }

    pub(crate) fn write(&self, path: &str) -> Decision {
        self.decide("write_file", json!({"file_path": path, "content": "x"}))
    }

    pub(crate) fn mcp(&self, server: &str, tool: &str) -> Decision {
        self.verdict_of(
            &format!("mcp_{server}_{tool}"),
            Some(server),
            json!({}),
            json!({}),
        )
        .decision
    }

    pub(crate) fn is_excluded(&self, tool: &str) -> bool {
        let args = Map::new();
        self.in_context(|context| self.policy.is_excluded(&call(tool, &args), context))
    }
}

/// A bare repository lies in `/ws/docs`, a secret in `/ws`, and the environment has `inherited`.
struct TestView<'a> {
    resolve: &'a dyn Fn(&Path) -> Option<PathBuf>,
}

impl WorkspaceView for TestView<'_> {
    fn resolve(&self, path: &Path) -> Option<PathBuf> {
        (self.resolve)(path)
    }

    fn has_variable(&self, name: &str) -> bool {
        name == "inherited"
    }

    fn git_repository(&self, folder: &Path) -> GitRepository {
        match folder.starts_with("/ws/docs") {
            true => GitRepository::RunsPrograms,
            false => GitRepository::Plain,
        }
    }

    fn is_free_of_secrets(&self, folder: &Path, hidden: HiddenFiles) -> bool {
        hidden == HiddenFiles::Skipped || crate::paths::normalized(folder) != Path::new("/ws")
    }
}

pub(crate) fn call<'a>(tool: &'a str, args: &'a Map<String, Value>) -> Call<'a> {
    Call {
        tool,
        args,
        server: None,
        subagent: None,
        annotations: None,
    }
}

pub(crate) fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        other => panic!("not an object: {other}"),
    }
}
