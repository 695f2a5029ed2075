//! Which prompts are commands of the twin's and so never reached a model.
//!
//! The twin leaves out everything that starts with a slash. That loses a prompt such as `/etc/hosts is odd`, which it
//! does send, as it sends every word that no command is called by.

/// What the twin's own commands are called, former names included. Commands of a person's making are recorded as the
/// prompt that they stand for, so their names do not matter.
pub(super) const NAMES: [&str; 57] = [
    "about",
    "agents",
    "auth",
    "background",
    "bg",
    "bug",
    "bug-memory",
    "chat",
    "clear",
    "commands",
    "compact",
    "compress",
    "copy",
    "corgi",
    "dir",
    "directory",
    "docs",
    "editor",
    "exit",
    "export-session",
    "extensions",
    "footer",
    "gemma",
    "help",
    "hooks",
    "ide",
    "init",
    "mcp",
    "memory",
    "model",
    "new",
    "oncall",
    "permissions",
    "plan",
    "policies",
    "privacy",
    "profile",
    "quit",
    "restore",
    "resume",
    "rewind",
    "settings",
    "setup-github",
    "shells",
    "shortcuts",
    "skills",
    "stats",
    "statusline",
    "summarize",
    "tasks",
    "terminal-setup",
    "theme",
    "tools",
    "upgrade",
    "usage",
    "vim",
    "voice",
];

/// Whether the first word names a command. `?` alone asks for help.
pub(super) fn is_command(text: &str) -> bool {
    let word = text.split_whitespace().next().unwrap_or_default();
    let name = word.strip_prefix('/').or_else(|| word.strip_prefix('?'));
    match name {
        Some(name) => NAMES.binary_search(&name).is_ok() || matches!(text, "?" | "/?"),
        None => false,
    }
}
