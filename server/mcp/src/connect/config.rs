//! `mcpServers.<name>` of the settings, taken apart.

#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Map, Value};

/// The twin's default, for connecting, listing and each call.
const TIMEOUT: Duration = Duration::from_secs(600);

const OAUTH_TEXTS: [&str; 10] = [
    "oauth.clientId",
    "oauth.clientSecret",
    "oauth.clientMetadataUrl",
    "oauth.authorizationUrl",
    "oauth.tokenUrl",
    "oauth.registrationUrl",
    "oauth.issuer",
    "oauth.redirectUri",
    "oauth.tokenParamName",
    "oauth.grantType",
];

/// One server, as it is to be reached.
#[derive(Clone, Debug, PartialEq)]
pub struct ServerConfig {
    pub name: String,
    pub reach: Reach,
    /// For connecting, for listing, and for each call.
    pub timeout: Duration,
    pub filter: ToolFilter,
    /// `oauth`, for whoever signs in.
    pub oauth: Option<Value>,
    pub provider: Provider,
}

/// Who gives out the tokens for a server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Provider {
    /// Whoever the server names; a person signs in there.
    #[default]
    Discovery,
    /// Google, for whoever this machine belongs to.
    GoogleCredentials,
    /// Google, for a service account that somebody may speak for.
    Impersonation {
        account: Option<String>,
        audience: Option<String>,
    },
}

/// How a server is talked to.
#[derive(Clone, Debug, PartialEq)]
pub enum Reach {
    Program {
        argv: Vec<String>,
        folder: Option<PathBuf>,
        /// As written; names and values are not yet checked or filled.
        variables: Vec<(String, String)>,
    },
    Http {
        url: String,
        headers: Vec<(String, String)>,
        fallback: Fallback,
    },
    /// The transport before streamable HTTP.
    Sse {
        url: String,
        headers: Vec<(String, String)>,
    },
}

/// What is tried when a server does not understand streamable HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fallback {
    Sse,
    Nothing,
}

/// Which tools of a server are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolFilter {
    /// Nothing: all.
    pub include: Option<Vec<String>>,
    pub exclude: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    #[error("it must be an object")]
    NotAnObject,
    #[error("`{field}` must be {wanted}")]
    WrongType {
        field: &'static str,
        wanted: &'static str,
    },
    #[error("`mcp.serverCommand` is not a plain command: {reason}")]
    NotACommand { reason: &'static str },
}

impl ServerConfig {
    /// Nothing for an entry that only changes what somebody else has configured.
    pub fn parse(name: &str, entry: &Value) -> Result<Option<Self>, ConfigError> {
        let fields = Fields(entry.as_object().ok_or(ConfigError::NotAnObject)?);
        let Some(reach) = fields.reach()? else {
            return Ok(None);
        };
        Ok(Some(Self {
            name: name.to_owned(),
            reach,
            timeout: fields.timeout()?,
            filter: ToolFilter {
                include: fields.texts("includeTools")?,
                exclude: fields.texts("excludeTools")?.unwrap_or_default(),
            },
            oauth: fields.oauth()?,
            provider: fields.provider()?,
        }))
    }

    /// The server that `mcp.serverCommand` means. It is split as a shell would, and run without one.
    pub fn of_command(command: &str) -> Result<Self, ConfigError> {
        let not_a_command = |reason| ConfigError::NotACommand { reason };
        if command.contains(['|', '&', ';', '<', '>', '`', '\n']) || command.contains("$(") {
            return Err(not_a_command("it has an operator of the shell in it"));
        }
        let argv = shlex::split(command).unwrap_or_default();
        if argv.is_empty() {
            return Err(not_a_command("its quotes do not match, or it is empty"));
        }
        Ok(Self {
            name: "mcp".to_owned(),
            reach: Reach::Program {
                argv,
                folder: None,
                variables: Vec::new(),
            },
            timeout: TIMEOUT,
            filter: ToolFilter::default(),
            oauth: None,
            provider: Provider::Discovery,
        })
    }
}

impl ToolFilter {
    /// Excluding wins. An entry `name(…)` includes as `name` does; an empty list includes nothing.
    pub fn admits(&self, tool: &str) -> bool {
        let is_named = |entry: &String| {
            let rest = entry.strip_prefix(tool);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('('))
        };
        let is_included = match &self.include {
            None => true,
            Some(include) => include.iter().any(is_named),
        };
        is_included && !self.exclude.iter().any(|entry| entry == tool)
    }
}

/// A user's entry on top of the one that an extension brings for the same name: what the user says counts, but
/// neither side can widen what the other has narrowed.
pub fn merged_with_extension(extension: &Value, user: &Value) -> Value {
    let (Some(extension), Some(user)) = (extension.as_object(), user.as_object()) else {
        return user.clone();
    };
    let mut merged = extension.clone();
    for (name, value) in user {
        let before = merged.get(name);
        let value = match (name.as_str(), before, value) {
            ("includeTools", Some(Value::Array(theirs)), Value::Array(ours)) => {
                let both = ours.iter().filter(|tool| theirs.contains(tool));
                Value::Array(both.cloned().collect())
            }
            ("excludeTools", Some(Value::Array(theirs)), Value::Array(ours)) => {
                let more = ours.iter().filter(|tool| !theirs.contains(tool));
                Value::Array(theirs.iter().chain(more).cloned().collect())
            }
            ("env", Some(Value::Object(theirs)), Value::Object(ours)) => {
                let mut env = theirs.clone();
                env.extend(ours.clone());
                Value::Object(env)
            }
            _ => value.clone(),
        };
        merged.insert(name.clone(), value);
    }
    Value::Object(merged)
}

struct Fields<'a>(&'a Map<String, Value>);

impl Fields<'_> {
    fn reach(&self) -> Result<Option<Reach>, ConfigError> {
        if let Some(url) = self.text("httpUrl")? {
            let fallback = Fallback::Nothing;
            let headers = self.pairs("headers")?;
            return Ok(Some(Reach::Http {
                url,
                headers,
                fallback,
            }));
        }
        if let Some(url) = self.text("url")? {
            let headers = self.pairs("headers")?;
            return Ok(Some(match self.text("type")?.as_deref() {
                Some("sse") => Reach::Sse { url, headers },
                Some("http") => Reach::Http {
                    url,
                    headers,
                    fallback: Fallback::Nothing,
                },
                _ => Reach::Http {
                    url,
                    headers,
                    fallback: Fallback::Sse,
                },
            }));
        }
        let Some(command) = self.text("command")? else {
            return Ok(None);
        };
        let mut argv = vec![command];
        argv.extend(self.texts("args")?.unwrap_or_default());
        Ok(Some(Reach::Program {
            argv,
            folder: self.text("cwd")?.map(PathBuf::from),
            variables: self.pairs("env")?,
        }))
    }

    fn provider(&self) -> Result<Provider, ConfigError> {
        Ok(match self.text("authProviderType")?.as_deref() {
            None | Some("dynamic_discovery") => Provider::Discovery,
            Some("google_credentials") => Provider::GoogleCredentials,
            Some("service_account_impersonation") => Provider::Impersonation {
                account: self.text("targetServiceAccount")?,
                audience: self.text("targetAudience")?,
            },
            Some(_) => {
                return Err(ConfigError::WrongType {
                    field: "authProviderType",
                    wanted: "`dynamic_discovery`, `google_credentials` or `service_account_impersonation`",
                });
            }
        })
    }

    /// Only looked over here: who signs in reads it.
    fn oauth(&self) -> Result<Option<Value>, ConfigError> {
        let wrong = |field, wanted| ConfigError::WrongType { field, wanted };
        let oauth = match self.0.get("oauth") {
            None | Some(Value::Null) => return Ok(None),
            Some(oauth) => oauth,
        };
        let fields = oauth.as_object().ok_or(wrong("oauth", "an object"))?;
        let of = |field: &'static str| fields.get(field.trim_start_matches("oauth."));
        let is_text = |value: &Value| value.is_string() || value.is_null();
        let is_list = |value: &Value| {
            let list = value.as_array();
            list.is_some_and(|list| list.iter().all(Value::is_string))
        };
        for field in OAUTH_TEXTS {
            if !of(field).is_none_or(is_text) {
                return Err(wrong(field, "a string"));
            }
        }
        for field in ["oauth.scopes", "oauth.audiences"] {
            if !of(field).is_none_or(is_list) {
                return Err(wrong(field, "a list of strings"));
            }
        }
        if !of("oauth.enabled").is_none_or(Value::is_boolean) {
            return Err(wrong("oauth.enabled", "true or false"));
        }
        match of("oauth.grantType").and_then(Value::as_str) {
            None | Some("authorization_code" | "client_credentials") => Ok(Some(oauth.clone())),
            Some(_) => Err(wrong(
                "oauth.grantType",
                "`authorization_code` or `client_credentials`",
            )),
        }
    }

    fn timeout(&self) -> Result<Duration, ConfigError> {
        let Some(value) = self.0.get("timeout") else {
            return Ok(TIMEOUT);
        };
        let milliseconds = value.as_u64().filter(|milliseconds| *milliseconds > 0);
        let milliseconds = milliseconds.ok_or(ConfigError::WrongType {
            field: "timeout",
            wanted: "a number of milliseconds",
        })?;
        Ok(Duration::from_millis(milliseconds))
    }

    fn text(&self, field: &'static str) -> Result<Option<String>, ConfigError> {
        match self.0.get(field) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) if text.trim().is_empty() => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(_) => Err(ConfigError::WrongType {
                field,
                wanted: "a string",
            }),
        }
    }

    fn texts(&self, field: &'static str) -> Result<Option<Vec<String>>, ConfigError> {
        let wrong = || ConfigError::WrongType {
            field,
            wanted: "a list of strings",
        };
        let Some(value) = self.0.get(field) else {
            return Ok(None);
        };
        let values = value.as_array().ok_or_else(wrong)?.iter();
        let texts = values.map(|value| value.as_str().map(str::to_owned).ok_or_else(wrong));
        texts.collect::<Result<_, _>>().map(Some)
    }

    fn pairs(&self, field: &'static str) -> Result<Vec<(String, String)>, ConfigError> {
        let wrong = || ConfigError::WrongType {
            field,
            wanted: "an object of strings",
        };
        let Some(value) = self.0.get(field) else {
            return Ok(Vec::new());
        };
        let pairs = value.as_object().ok_or_else(wrong)?.iter();
        let pair = |(name, value): (&String, &Value)| {
            let value = value.as_str().ok_or_else(wrong)?;
            Ok((name.clone(), value.to_owned()))
        };
        pairs.map(pair).collect()
    }
}
