//! The names of a folder's files, kept for whoever types an `@`.
//!
//! Reading a large tree takes longer than anybody waits between two letters. So the names are read once, and read anew
//! behind the back of a question when they have grown old.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use pollux_search::{Cancel, IgnoreRules, Kind, NameQuery, Names, Overlay, RuleFiles, Tree};
use pollux_workspace::{Mention, MentionKind, MentionQuery};

/// After this time the names are read anew.
const FRESH: Duration = Duration::from_secs(2);

/// So many folders are remembered.
const MOST_FOLDERS: usize = 8;

#[derive(Default)]
pub(crate) struct Mentions {
    /// Held for a map operation at a time.
    known: Arc<Mutex<BTreeMap<PathBuf, Known>>>,
}

struct Known {
    names: Arc<Names>,
    read: Instant,
    /// Whether somebody is reading them anew.
    renewal: Renewal,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Renewal {
    None,
    Running,
}

impl Mentions {
    pub(crate) fn find(&self, query: &MentionQuery, rules: RuleFiles) -> Vec<Mention> {
        let folder = &query.request.folder;
        let is_cancelled = || query.cancel.is_cancelled();
        let cancel = Cancel::when(&is_cancelled);
        let names = match self.remembered(folder, &rules) {
            Some(names) => names,
            None => match read(folder, &rules, cancel) {
                Some(names) => remember(&self.known, folder, names),
                None => return Vec::new(),
            },
        };
        let open: Vec<String> = query
            .open
            .iter()
            .filter_map(|path| Some(path.strip_prefix(folder).ok()?.to_str()?.to_owned()))
            .collect();
        let wanted = NameQuery {
            letters: &query.letters,
            first: &open,
            limit: query.limit,
        };
        let found = names.find(&wanted, cancel).unwrap_or_default();
        let mention = |name: pollux_search::Name| Mention {
            path: name.path,
            kind: match name.kind {
                Kind::File => MentionKind::File,
                Kind::Folder => MentionKind::Folder,
            },
        };
        found.into_iter().map(mention).collect()
    }

    fn remembered(&self, folder: &Path, rules: &RuleFiles) -> Option<Arc<Names>> {
        let mut known = locked(&self.known);
        let entry = known.get_mut(folder)?;
        if entry.read.elapsed() > FRESH && entry.renewal == Renewal::None {
            entry.renewal = Renewal::Running;
            let (known, folder, rules) =
                (Arc::clone(&self.known), folder.to_owned(), rules.clone());
            std::thread::spawn(move || match read(&folder, &rules, Cancel::never()) {
                Some(names) => {
                    remember(&known, &folder, names);
                }
                None => {
                    locked(&known).remove(&folder);
                }
            });
        }
        Some(Arc::clone(&entry.names))
    }
}

fn read(folder: &Path, rules: &RuleFiles, cancel: Cancel<'_>) -> Option<Names> {
    let rules = IgnoreRules::new(folder, rules);
    let tree = Tree {
        rules: &rules,
        overlay: &Overlay::default(),
        cancel,
        threads: std::thread::available_parallelism().map_or(1, usize::from),
    };
    Names::read(&tree, folder)
}

fn remember(known: &Mutex<BTreeMap<PathBuf, Known>>, folder: &Path, names: Names) -> Arc<Names> {
    let names = Arc::new(names);
    let entry = Known {
        names: Arc::clone(&names),
        read: Instant::now(),
        renewal: Renewal::None,
    };
    let mut known = locked(known);
    known.insert(folder.to_owned(), entry);
    if known.len() > MOST_FOLDERS {
        let oldest = known.iter().min_by_key(|(_, entry)| entry.read);
        if let Some(oldest) = oldest.map(|(folder, _)| folder.clone()) {
            known.remove(&oldest);
        }
    }
    names
}

fn locked(known: &Mutex<BTreeMap<PathBuf, Known>>) -> MutexGuard<'_, BTreeMap<PathBuf, Known>> {
    known.lock().unwrap_or_else(PoisonError::into_inner)
}
