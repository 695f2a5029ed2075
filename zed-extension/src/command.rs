//! How the server is started, by what the settings say about it.

use zed_extension_api::Command;
use zed_extension_api::settings::CommandSettings;

#[cfg(test)]
mod tests;

/// What is looked for on the `PATH`.
pub(crate) const PROGRAM: &str = "pollux";
/// The door for editors.
const DOOR: &str = "lsp";

/// The program that the settings name. An empty name is none: it is what is left when somebody clears the setting.
pub(crate) fn configured(binary: Option<&CommandSettings>) -> Option<String> {
    let path = binary?.path.as_deref()?.trim();
    (!path.is_empty()).then(|| path.to_owned())
}

/// Arguments of the settings replace ours; their environment is added to the one that Zed gives.
pub(crate) fn to_run(program: String, binary: Option<CommandSettings>) -> Command {
    let (arguments, env) = binary.map_or((None, None), |binary| (binary.arguments, binary.env));
    let mut env: Vec<(String, String)> = env.unwrap_or_default().into_iter().collect();
    env.sort();
    Command {
        command: program,
        args: arguments.unwrap_or_else(|| vec![DOOR.to_owned()]),
        env,
    }
}
