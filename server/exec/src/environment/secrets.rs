//! Which variables look secret, by the twin's rules.

use std::collections::HashSet;
use std::ffi::OsStr;

use regex_lite::Regex;

/// Handed on even where only well-known variables are.
const WELL_KNOWN: &[&str] = &[
    "PATH",
    "HOME",
    "LANG",
    "SHELL",
    "TMPDIR",
    "USER",
    "LOGNAME",
    "TERM",
    "COLORTERM",
    // Windows needs these to start anything.
    "SYSTEMROOT",
    "COMSPEC",
    "PATHEXT",
    "WINDIR",
    "TEMP",
    "TMP",
    "USERPROFILE",
    "SYSTEMDRIVE",
    // What a workflow tells its agent.
    "ADDITIONAL_CONTEXT",
    "AVAILABLE_LABELS",
    "BRANCH_NAME",
    "DESCRIPTION",
    "EVENT_NAME",
    "GITHUB_ENV",
    "IS_PULL_REQUEST",
    "ISSUES_TO_TRIAGE",
    "ISSUE_NUMBER",
    "PULL_REQUEST_NUMBER",
    "REPOSITORY",
    "TITLE",
    "TRIGGERING_ACTOR",
];

/// Names that say too much without looking like it.
const TELLING: &[&str] = &[
    "CLIENT_ID",
    "DB_URI",
    "CONNECTION_STRING",
    "AWS_DEFAULT_REGION",
    "AZURE_CLIENT_ID",
    "AZURE_TENANT_ID",
    "SLACK_WEBHOOK_URL",
    "TWILIO_ACCOUNT_SID",
    "DATABASE_URL",
    "GOOGLE_CLOUD_PROJECT",
    "GOOGLE_CLOUD_ACCOUNT",
    "FIREBASE_PROJECT_ID",
];

/// A name that contains one of these is secret.
const SUSPICIOUS: &[&str] = &[
    "TOKEN",
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "KEY",
    "AUTH",
    "CREDENTIAL",
    "CREDS",
    "PRIVATE",
    "CERT",
];

/// Values that are secret under any name.
const VALUES: &[&str] = &[
    r"-----BEGIN ((RSA|OPENSSH|EC|PGP) )?PRIVATE KEY-----",
    r"-----BEGIN CERTIFICATE-----",
    r"(https?|ftp|smtp)://[^:]+:[^@]+@",
    r"(gh[pousr]|github_pat)_[a-z0-9_]{36}",
    r"AIzaSy[a-z0-9_\\-]{33}",
    r"AKIA[a-z0-9]{16}",
    r"eyJ[a-z0-9_-]*\.[a-z0-9_-]*\.[a-z0-9_-]*",
    r"[sr]k_(live|test)_[0-9a-z]{24}",
    r"xox[abpr]-[a-z0-9-]+",
];

pub(super) struct Secrets {
    allowed: HashSet<String>,
    blocked: HashSet<String>,
    only_well_known: bool,
    values: Vec<Regex>,
}

impl Secrets {
    pub(super) fn new(allowed: &[String], blocked: &[String], only_well_known: bool) -> Secrets {
        let upper = |names: &[String]| names.iter().map(|name| name.to_uppercase()).collect();
        Secrets {
            allowed: upper(allowed),
            blocked: upper(blocked),
            only_well_known,
            values: VALUES
                .iter()
                .filter_map(|pattern| Regex::new(&format!("(?i){pattern}")).ok())
                .collect(),
        }
    }

    /// A value counts before anything that was said about its name.
    pub(super) fn contains(&self, name: &OsStr, value: &OsStr) -> bool {
        let name = name.to_string_lossy().to_uppercase();
        if name.starts_with("GEMINI_CLI_") {
            return false;
        }
        let value = value.to_string_lossy();
        if self.values.iter().any(|pattern| pattern.is_match(&value)) {
            return true;
        }
        if self.allowed.contains(&name) {
            return false;
        }
        if self.blocked.contains(&name) {
            return true;
        }
        if WELL_KNOWN.contains(&name.as_str()) {
            return false;
        }
        // What a setting of git is called is no secret, although the name of the variable says so.
        let names_a_setting = name.starts_with("GIT_CONFIG_KEY_");
        self.only_well_known
            || TELLING.contains(&name.as_str())
            || (!names_a_setting && SUSPICIOUS.iter().any(|word| name.contains(word)))
    }
}

#[cfg(test)]
mod tests;
