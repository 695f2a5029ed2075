//! Where rules come from, and what they come to.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use pollux_policy::{
    Approvals, HeadlessServers, Options, Policy, Problem, ProblemKind, RuleFile, SettingsRules,
    Tier, Yolo,
};
use pollux_settings::{Loaded, is_foreign};
use serde_json::Value;

/// A file of rules is written by a person.
const LONGEST_FILE: u64 = 1024 * 1024;

/// What is loaded for one folder.
pub(crate) struct Loading<'a> {
    pub(crate) loaded: &'a Loaded,
    pub(crate) folder: &'a Path,
    /// `--policy`: instead of the user's own files.
    pub(crate) instead: &'a [PathBuf],
    /// `--allowed-tools`
    pub(crate) allowed: &'a [String],
}

/// The policy of a folder and the files that approvals are saved in.
pub(crate) struct PolicyFiles {
    pub(crate) policy: Policy,
    pub(crate) problems: Vec<Problem>,
    /// For every workspace of the user.
    pub(crate) user_approvals: PathBuf,
    /// For this workspace. Not in the workspace: an agent that can write there must not approve itself, and
    /// nobody else's clone should bring approvals along.
    pub(crate) workspace_approvals: PathBuf,
}

/// The name under which the twin saves approvals too.
const AUTO_SAVED: &str = "auto-saved.toml";

impl PolicyFiles {
    pub(crate) fn load(loading: &Loading<'_>) -> Self {
        let Loading { loaded, folder, .. } = loading;
        let mut reading = Reading::default();
        let locations = &loaded.locations;
        reading.admin(loaded);
        let user = locations.gemini_dir.join("policies");
        let configured = paths(loaded.merged.get("policyPaths"));
        match (loading.instead, configured.as_slice()) {
            ([], []) => reading.folder(&user, Tier::User),
            ([], configured) => {
                reading.named(configured, folder, Tier::User);
                // What the person allows is saved there all the same, and should hold.
                if !configured.iter().any(|path| folder.join(path) == user) {
                    reading.file(&user.join(AUTO_SAVED), Tier::User, Missing::Fine);
                }
            }
            (instead, _) => reading.named(instead, folder, Tier::User),
        }
        let workspace_approvals = locations
            .gemini_dir
            .join("pollux")
            .join("approvals")
            .join(folder_name(folder))
            .join(AUTO_SAVED);
        if loaded.trust.is_trusted() {
            reading.file(&workspace_approvals, Tier::Workspace, Missing::Fine);
            // A repository may be stricter than its user, never freer.
            reading.folder(&folder.join(".gemini").join("policies"), Tier::Extension);
        }
        let (policy, problems) = Policy::assemble(
            &reading.files,
            &settings_rules(loaded, loading.allowed),
            options(loaded),
        );
        reading.problems.extend(problems);
        Self {
            policy,
            problems: reading.problems,
            user_approvals: user.join(AUTO_SAVED),
            workspace_approvals,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Missing {
    Fine,
    Problem,
}

#[derive(Default)]
struct Reading {
    files: Vec<RuleFile>,
    problems: Vec<Problem>,
}

impl Reading {
    /// Rules that only root can have written.
    fn admin(&mut self, loaded: &Loaded) {
        let system = loaded.locations.system.with_file_name("policies");
        let before = self.files.len();
        if let Err(problem) = admin_folder_is_safe(&system) {
            self.problem(&system, ProblemKind::InsecureDirectory, problem);
        } else {
            self.folder(&system, Tier::Admin);
        }
        let further = paths(loaded.merged.get("adminPolicyPaths"));
        if self.files.len() > before && !further.is_empty() {
            let message = "it holds rules, so adminPolicyPaths is ignored".to_owned();
            self.problem(&system, ProblemKind::RuleValidation, message);
            return;
        }
        self.named(&further, Path::new("/"), Tier::Admin);
    }

    /// Files and folders that somebody named.
    fn named(&mut self, paths: &[PathBuf], base: &Path, tier: Tier) {
        for path in paths {
            let path = base.join(path);
            match path.is_dir() {
                true => self.folder(&path, tier),
                false => self.file(&path, tier, Missing::Problem),
            }
        }
    }

    /// The rule files of a folder, by name. A folder that is not there has none.
    fn folder(&mut self, folder: &Path, tier: Tier) {
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return,
            Err(error) => return self.unreadable(folder, &error),
        };
        let mut files: Vec<PathBuf> = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| {
                path.extension()
                    .is_some_and(|extension| extension == "toml")
            })
            .collect();
        files.sort();
        for file in files {
            self.file(&file, tier, Missing::Fine);
        }
    }

    fn file(&mut self, path: &Path, tier: Tier, missing: Missing) {
        // A repository may belong to somebody else: its rules can only forbid.
        if tier != Tier::Extension && is_foreign(path) {
            let message = "it or its folder belongs to another user, so its rules do not count";
            return self.problem(path, ProblemKind::InsecureDirectory, message.to_owned());
        }
        let read = fs::metadata(path).and_then(|metadata| match metadata.len() {
            0..=LONGEST_FILE => fs::read_to_string(path),
            _ => Err(io::Error::other("the file is too long for rules")),
        });
        match read {
            Ok(text) => self.files.push(RuleFile {
                source: path.display().to_string(),
                text,
                tier,
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound && missing == Missing::Fine => {}
            Err(error) => self.unreadable(path, &error),
        }
    }

    fn unreadable(&mut self, path: &Path, error: &io::Error) {
        let message = format!("it cannot be read, so its rules do not count: {error}");
        self.problem(path, ProblemKind::FileRead, message);
    }

    fn problem(&mut self, path: &Path, kind: ProblemKind, message: String) {
        self.problems.push(Problem {
            source: path.display().to_string(),
            line: None,
            kind,
            message,
        });
    }
}

/// A name for a folder that no other folder has.
fn folder_name(folder: &Path) -> String {
    use std::fmt::Write as _;

    use sha2::{Digest, Sha256};
    let digest = Sha256::digest(folder.as_os_str().as_encoded_bytes());
    let mut name: String = folder
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
        .chars()
        .map(|character| match character.is_ascii_alphanumeric() {
            true => character,
            false => '-',
        })
        .take(40)
        .collect();
    name.push('-');
    for byte in digest.iter().take(8) {
        // Writing to a string does not fail.
        let _written = write!(name, "{byte:02x}");
    }
    name
}

#[cfg(unix)]
fn admin_folder_is_safe(folder: &Path) -> Result<(), String> {
    use std::os::unix::fs::MetadataExt;

    use pollux_policy::{DirectoryFacts, check_admin_directory};
    let (Ok(target), Ok(link)) = (fs::metadata(folder), fs::symlink_metadata(folder)) else {
        return Ok(());
    };
    let facts = DirectoryFacts {
        owner: target.uid(),
        mode: target.mode(),
        link_owner: link.is_symlink().then(|| link.uid()),
    };
    check_admin_directory(facts).map_err(|insecure| insecure.to_string())
}

/// Nobody has looked into access lists yet, so nothing there is believed.
#[cfg(not(unix))]
fn admin_folder_is_safe(folder: &Path) -> Result<(), String> {
    match folder.exists() {
        true => Err("its rules are skipped: who may write it is not known here".to_owned()),
        false => Ok(()),
    }
}

fn options(loaded: &Loaded) -> Options {
    let is_on = |name: &str| loaded.merged.get(name).and_then(Value::as_bool) == Some(true);
    let secure = is_on("admin.secureModeEnabled");
    Options {
        approvals: match secure || is_on("security.disableAlwaysAllow") {
            true => Approvals::Ignored,
            false => Approvals::Honoured,
        },
        yolo: match secure || is_on("security.disableYoloMode") {
            true => Yolo::Disabled,
            false => Yolo::Available,
        },
        ..Options::default()
    }
}

fn settings_rules(loaded: &Loaded, allowed: &[String]) -> SettingsRules {
    let list = |name: &str| texts(loaded.merged.get(name));
    let servers = loaded.merged.get("mcpServers").and_then(Value::as_object);
    let trusted = servers
        .into_iter()
        .flatten()
        .filter(|(_, server)| server.get("trust").and_then(Value::as_bool) == Some(true));
    let headless = loaded.merged.get("mcp.autoAllowInHeadless");
    SettingsRules {
        exclude: list("tools.exclude"),
        confirmation_required: list("tools.confirmationRequired"),
        allowed: [list("tools.allowed"), allowed.to_vec()].concat(),
        core: list("tools.core"),
        excluded_servers: list("mcp.excluded"),
        allowed_servers: list("mcp.allowed"),
        trusted_servers: trusted.map(|(name, _)| name.clone()).collect(),
        headless_servers: match headless.and_then(Value::as_bool) {
            Some(true) => HeadlessServers::Allowed,
            Some(false) | None => HeadlessServers::Judged,
        },
        remote_agents: Vec::new(),
    }
}

fn texts(value: Option<&Value>) -> Vec<String> {
    let list = value.and_then(Value::as_array).into_iter().flatten();
    list.filter_map(|entry| Some(entry.as_str()?.to_owned()))
        .collect()
}

fn paths(value: Option<&Value>) -> Vec<PathBuf> {
    texts(value).into_iter().map(PathBuf::from).collect()
}
