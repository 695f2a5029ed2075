//! What a command changed, taken in and told.

use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;

use pollux_search::UnsavedText;

use super::super::Desk;
use super::super::shell_setup::ShellSetup;
use crate::shell_changes::{Changes, ShellOrigin, Upcoming, Watching};

/// So many paths are told; the number of the others is.
const MOST_PATHS: usize = 20;
const MOST_REASONS: usize = 5;

/// A command under watch.
pub(super) struct Watched {
    watching: Option<Box<dyn Watching>>,
    origin: ShellOrigin,
    setup: Arc<ShellSetup>,
}

impl Watched {
    pub(super) async fn begin(
        desk: &Desk<'_>,
        setup: &Arc<ShellSetup>,
        command: &str,
        folder: &Path,
    ) -> Self {
        let unsaved = desk.config.files.unsaved().await;
        let known = unsaved
            .into_iter()
            .filter_map(|(path, text)| Some((path, whole(&*text)?)))
            .collect();
        let upcoming = Upcoming {
            command,
            folder,
            known,
        };
        Self {
            watching: setup.watch.before(upcoming).await,
            origin: ShellOrigin {
                turn: desk.events.turn(),
                call: desk.call.id.clone(),
                command: command.to_owned(),
            },
            setup: Arc::clone(setup),
        }
    }

    /// Looks again now that the command has ended, and hands on what has changed.
    pub(super) async fn end(self) -> Arc<Changes> {
        let Some(watching) = self.watching else {
            return Arc::default();
        };
        let changes = Arc::new(watching.after().await);
        if !changes.is_empty() {
            let absorbed = self.setup.changes.absorb(self.origin, Arc::clone(&changes));
            absorbed.await;
        }
        changes
    }

    /// Goes on until the command or the turn has ended, whichever comes first.
    pub(super) fn end_later(
        self,
        desk: &Desk<'_>,
        ended: impl Future<Output = ()> + Send + 'static,
    ) {
        if self.watching.is_none() {
            return;
        }
        let over = desk.events.over();
        tokio::spawn(async move {
            tokio::select! {
                () = ended => {}
                () = over.cancelled() => {}
            }
            self.end().await;
        });
    }
}

/// For the model, below the output.
pub(super) fn told(changes: &Changes, root: &Path) -> Option<String> {
    let shown = |path: &Path| -> String {
        let path = path.strip_prefix(root).unwrap_or(path);
        path.display().to_string().replace(char::is_control, "?")
    };
    let mut lines = Vec::new();
    let files = changes.files.iter().map(|file| {
        let path = shown(&file.path);
        match (&file.moved_from, &file.before, &file.after) {
            (Some(from), ..) => format!("{path} (was {})", shown(from)),
            (None, None, _) => format!("{path} (new)"),
            (None, _, None) => format!("{path} (deleted)"),
            (None, Some(_), Some(_)) => path,
        }
    });
    lines.extend(listed("Changed: ", files, MOST_PATHS));
    let lost = changes.not_reversible.iter();
    let lost = lost.map(|lost| format!("{} ({})", shown(&lost.path), lost.reason));
    lines.extend(listed("Changed, not reversible: ", lost, MOST_REASONS));
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// For the person, after what was printed.
pub(super) fn summary(changes: &Changes) -> Option<String> {
    let count = changes.files.len() + changes.not_reversible.len();
    match count {
        0 => None,
        1 => Some("1 file changed".to_owned()),
        count => Some(format!("{count} files changed")),
    }
}

fn listed(
    title: &str,
    mut all: impl ExactSizeIterator<Item = String>,
    most: usize,
) -> Option<String> {
    let count = all.len();
    let first: Vec<String> = all.by_ref().take(most).collect();
    let rest = match count.saturating_sub(most) {
        0 => String::new(),
        rest => format!(" and {rest} more"),
    };
    (count > 0).then(|| format!("{title}{}{rest}", first.join(", ")))
}

#[cfg(test)]
mod tests;

/// Copied, because the editor's text may go on while the command runs.
fn whole(text: &dyn UnsavedText) -> Option<Arc<str>> {
    let mut read = String::new();
    text.reader().read_to_string(&mut read).ok()?;
    Some(read.into())
}
