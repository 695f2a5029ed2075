//! The first message of a session: where the agent is, and what people wrote down for it.

#[cfg(test)]
mod tests;

use std::path::PathBuf;

use super::cap::{clip, clip_with_note, one_line};

/// Folders that are named; an editor has fewer.
const MAX_FOLDERS: usize = 50;
/// Of one server's instructions.
pub const MAX_INSTRUCTIONS_BYTES: usize = 8 * 1024;
/// Servers whose instructions are passed on.
const MAX_SERVERS: usize = 32;

/// The facts a session starts with. All of them are data: no clock, no environment, no disk.
#[derive(Clone, Debug, Default)]
pub struct SessionFacts {
    pub date: CalendarDate,
    /// As the system calls itself: `linux`, `macos`, `windows`.
    pub operating_system: String,
    /// The workspace folders, the first one being where commands run.
    pub folders: Vec<PathBuf>,
    /// A place for scratch files of this project.
    pub temporary_folder: PathBuf,
    /// The drawings of [`folder_tree`](super::folder_tree()), one per folder; empty when the setting
    /// `context.includeDirectoryTree` is off.
    pub trees: Vec<String>,
}

/// What an MCP server says about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerInstructions {
    pub server: String,
    pub text: String,
}

/// A day, counted from 1970-01-01 in the person's time zone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CalendarDate {
    days: i32,
}

/// Wraps the facts, then the context that extensions, the project and servers bring along.
pub(super) fn session_context(
    facts: &SessionFacts,
    extension_context: &str,
    project_context: &str,
    servers: &[ServerInstructions],
) -> String {
    let mut text = String::from("<session_context>\n");
    text.push_str("Facts about this session; they need no answer.\n");
    text.push_str(&format!("Date: {}\n", facts.date.spelled_out()));
    text.push_str(&format!(
        "Operating system: {}\n",
        one_line(clip(&facts.operating_system, 100))
    ));
    let temporary = facts.temporary_folder.display().to_string();
    text.push_str(&format!("Temporary folder: {}\n", one_line(&temporary)));
    text.push_str("Workspace folders:\n");
    for folder in facts.folders.iter().take(MAX_FOLDERS) {
        text.push_str(&format!("- {}\n", one_line(&folder.display().to_string())));
    }
    if let Some(more @ 1..) = facts.folders.len().checked_sub(MAX_FOLDERS) {
        text.push_str(&format!("- and {more} more\n"));
    }
    if !facts.trees.is_empty() {
        text.push_str("Files at the start of the session (`...` marks what is not shown):\n");
        for tree in facts.trees.iter().take(MAX_FOLDERS) {
            text.push_str(tree);
            text.push('\n');
        }
    }
    text.push_str("</session_context>");
    let project_context = join(project_context, &server_context(servers));
    let mut loaded = String::new();
    for (tag, context) in [
        ("extension_context", extension_context),
        ("project_context", &project_context),
    ] {
        if !context.is_empty() {
            loaded.push_str(&format!("<{tag}>\n{context}\n</{tag}>\n"));
        }
    }
    if !loaded.is_empty() {
        text.push_str(&format!("\n\n<loaded_context>\n{loaded}</loaded_context>"));
    }
    text
}

pub(super) fn server_context(servers: &[ServerInstructions]) -> String {
    let spoken = servers
        .iter()
        .filter(|server| !server.text.trim().is_empty());
    let blocks = spoken.take(MAX_SERVERS).map(|server| {
        let name = one_line(clip(&server.server, 100));
        let text = clip_with_note(server.text.trim(), MAX_INSTRUCTIONS_BYTES, "\n[truncated]");
        format!("--- Instructions of the MCP server {name} ---\n{text}\n--- End of instructions of {name} ---")
    });
    blocks.collect::<Vec<_>>().join("\n\n")
}

fn join(one: &str, other: &str) -> String {
    match (one.is_empty(), other.is_empty()) {
        (true, _) => other.to_owned(),
        (_, true) => one.to_owned(),
        _ => format!("{one}\n\n{other}"),
    }
}

impl CalendarDate {
    /// The day of a moment, given in seconds since 1970 on the person's own clock.
    pub fn of_local_seconds(seconds: i64) -> Self {
        let days = seconds.div_euclid(86_400);
        // A clock this far off shows the first or the last day there is.
        let days = days.clamp(-700_000, 2_900_000);
        Self {
            days: i32::try_from(days).unwrap_or_default(),
        }
    }

    /// `Monday, November 16, 2026`: the long form leaves no doubt about the order of day and month.
    pub fn spelled_out(self) -> String {
        const WEEKDAYS: [&str; 7] = [
            "Thursday",
            "Friday",
            "Saturday",
            "Sunday",
            "Monday",
            "Tuesday",
            "Wednesday",
        ];
        const MONTHS: [&str; 12] = [
            "January",
            "February",
            "March",
            "April",
            "May",
            "June",
            "July",
            "August",
            "September",
            "October",
            "November",
            "December",
        ];
        let weekday = usize::try_from(self.days.rem_euclid(7)).unwrap_or_default();
        let (year, month, day) = self.civil();
        let weekday = WEEKDAYS.get(weekday).unwrap_or(&"");
        let month = MONTHS.get(month.saturating_sub(1)).unwrap_or(&"");
        format!("{weekday}, {month} {day}, {year}")
    }

    /// Year, month and day by Howard Hinnant's `civil_from_days`: years that begin in March end with the leap day.
    fn civil(self) -> (i32, usize, i32) {
        let shifted = self.days + 719_468;
        let era = shifted.div_euclid(146_097);
        let day_of_era = shifted.rem_euclid(146_097);
        let year_of_era =
            (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let march_month = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * march_month + 2) / 5 + 1;
        let month = if march_month < 10 {
            march_month + 3
        } else {
            march_month - 9
        };
        let year = year_of_era + era * 400 + i32::from(month <= 2);
        (year, usize::try_from(month).unwrap_or(1), day)
    }
}
