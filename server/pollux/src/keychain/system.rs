//! How the client of each system is called.

use std::path::{Path, PathBuf};

use pollux_exec::ProgramEnd;

/// The names under which the twin keeps a secret. Both are plain: they go into a command line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Item<'a> {
    pub(crate) service: &'a str,
    pub(crate) account: &'a str,
}

/// The twin's library looks for entries of this kind only.
const SCHEMA: [&str; 2] = ["xdg:schema", "org.freedesktop.Secret.Generic"];

/// All that a client learns of the environment: where the keychain is, and how to ask for a password.
pub(super) const VARIABLES: [&str; 9] = [
    "HOME",
    "USER",
    "LOGNAME",
    "LANG",
    "XDG_RUNTIME_DIR",
    "DBUS_SESSION_BUS_ADDRESS",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum System {
    /// GNOME Keyring, KWallet, KeePassXC and others, over the session bus.
    SecretService,
    MacOs,
}

/// One call of the client.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) arguments: Vec<String>,
    pub(super) input: String,
}

impl Call {
    fn new(arguments: &[&str], input: impl Into<String>) -> Self {
        Self {
            arguments: arguments.iter().map(|&word| word.to_owned()).collect(),
            input: input.into(),
        }
    }
}

impl System {
    pub(super) fn here() -> Option<Self> {
        if cfg!(target_os = "macos") {
            Some(Self::MacOs)
        } else if cfg!(unix) {
            Some(Self::SecretService)
        } else {
            None
        }
    }

    pub(super) fn program(self) -> &'static str {
        match self {
            Self::SecretService => "secret-tool",
            Self::MacOs => "security",
        }
    }

    pub(super) fn advice(self) -> &'static str {
        match self {
            Self::SecretService => {
                "the package is libsecret-tools on Debian and Ubuntu, libsecret elsewhere"
            }
            Self::MacOs => "it is a part of macOS",
        }
    }

    /// The client, from folders that only the administrator fills.
    pub(super) fn client(self) -> Option<PathBuf> {
        let folders: &[&str] = match self {
            Self::SecretService => &[
                "/usr/bin",
                "/bin",
                "/usr/local/bin",
                "/run/current-system/sw/bin",
            ],
            Self::MacOs => &["/usr/bin"],
        };
        folders
            .iter()
            .map(|folder| Path::new(folder).join(self.program()))
            .find(|program| program.is_file())
    }

    pub(super) fn lookup(self, item: Item<'_>) -> Call {
        let Item { service, account } = item;
        match self {
            Self::SecretService => {
                Call::new(&["lookup", "service", service, "account", account], "")
            }
            Self::MacOs => Call::new(
                &["find-generic-password", "-s", service, "-a", account, "-w"],
                "",
            ),
        }
    }

    pub(super) fn store(self, item: Item<'_>, secret: &str) -> Call {
        let Item { service, account } = item;
        match self {
            Self::SecretService => {
                let label = format!("--label={service}/{account}");
                let [schema, generic] = SCHEMA;
                let arguments = [
                    "store", &label, "service", service, "account", account, schema, generic,
                ];
                Call::new(&arguments, secret)
            }
            // A command on standard input is the only way that keeps the secret out of the list of processes.
            Self::MacOs => {
                let secret = hexadecimal(secret);
                let command =
                    format!("add-generic-password -U -s {service} -a {account} -X {secret}\n");
                Call::new(&["-i"], command)
            }
        }
    }

    pub(super) fn clear(self, item: Item<'_>) -> Call {
        let Item { service, account } = item;
        match self {
            Self::SecretService => {
                Call::new(&["clear", "service", service, "account", account], "")
            }
            Self::MacOs => Call::new(
                &["delete-generic-password", "-s", service, "-a", account],
                "",
            ),
        }
    }

    /// Whether a call that did not succeed only means that there is no such entry.
    pub(super) fn is_missing(self, end: &ProgramEnd) -> bool {
        match self {
            Self::SecretService => end.code == Some(1) && end.stderr.trim_ascii().is_empty(),
            // errSecItemNotFound, as far as it fits into an exit code.
            Self::MacOs => end.code == Some(44),
        }
    }
}

fn hexadecimal(text: &str) -> String {
    text.bytes().map(|byte| format!("{byte:02x}")).collect()
}
