//! What the tests of this crate share: records in temporary folders, and operations made of words.

use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::Value;
use tempfile::TempDir;

use crate::{
    Draft, Durability, FileKey, Hash, Ledger, LedgerError, Limits, OpId, Opened, Origin, Target,
    Texts, What, folder_of,
};

pub(crate) struct World {
    pub(crate) base: TempDir,
    pub(crate) root: TempDir,
    pub(crate) limits: Limits,
}

impl World {
    pub(crate) fn new() -> Self {
        Self {
            base: tempfile::tempdir().unwrap(),
            root: tempfile::tempdir().unwrap(),
            limits: Limits::default(),
        }
    }

    pub(crate) fn try_open(&self) -> Result<(Ledger, Opened), LedgerError> {
        let (base, root) = (self.base.path(), self.root.path());
        Ledger::open(base, root, self.limits, Durability::Process)
    }

    pub(crate) fn open(&self) -> Ledger {
        self.try_open().unwrap().0
    }

    pub(crate) fn folder(&self) -> PathBuf {
        folder_of(self.base.path(), self.root.path())
    }

    pub(crate) fn log(&self) -> PathBuf {
        self.folder().join(crate::ledger::LOG)
    }
}

pub(crate) fn noon() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_750_000_000)
}

pub(crate) fn key(name: &str) -> FileKey {
    FileKey::File(PathBuf::from("/ws").join(name))
}

pub(crate) fn turn(number: u64) -> Origin {
    Origin {
        session: "s".to_owned(),
        turn: number,
    }
}

/// The base, and what stands in the file. An empty word is no file.
pub(crate) fn texts(ledger: &mut Ledger, base: &str, current: &str) -> Texts {
    let mut put = |text: &str| -> Option<Hash> {
        (!text.is_empty()).then(|| ledger.put(text.as_bytes()).unwrap())
    };
    Texts {
        base: put(base),
        current: put(current),
        agent: None,
    }
}

pub(crate) fn draft(what: What, name: &str, before: Texts, after: Texts) -> Draft {
    Draft {
        key: key(name),
        path: name.into(),
        what,
        origin: None,
        target: None,
        before,
        after,
        detail: Value::Null,
        words: format!("{what:?} {name}"),
    }
}

/// An operation that was carried out, told by its texts: `base>current` before and after.
pub(crate) fn carry_out(ledger: &mut Ledger, draft: Draft) -> OpId {
    let ids = ledger.intend(vec![draft], noon()).unwrap().ids;
    ledger.done(ids[0]).unwrap();
    ids[0]
}

pub(crate) fn edit(ledger: &mut Ledger, name: &str, before: &str, after: &str, by: u64) -> OpId {
    let (before, after) = (texts(ledger, before, before), texts(ledger, before, after));
    let draft = Draft {
        origin: Some(turn(by)),
        ..draft(What::Edit, name, before, after)
    };
    carry_out(ledger, draft)
}

pub(crate) fn take_back(ledger: &mut Ledger, what: What, target: Target, name: &str) -> OpId {
    let same = texts(ledger, "x", "y");
    let draft = Draft {
        target: Some(target),
        ..draft(what, name, same, same)
    };
    carry_out(ledger, draft)
}
