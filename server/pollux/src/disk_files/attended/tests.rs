use std::sync::Mutex;
use std::time::Duration;

use pollux_workspace::{
    Answering, ClientFiles, ClientFolder, FileClientLease, FileOffer, Patience,
};
use tempfile::TempDir;

use super::*;
use crate::disk_files::ReviewedDisk;

/// A client that holds one text, and does with another what it is told to.
struct Fake {
    holds: Mutex<Option<String>>,
    writes: fn(&Fake, String) -> Answering<()>,
    written: Mutex<Vec<String>>,
}

impl ClientFiles for Fake {
    fn offers(&self) -> FileOffer {
        FileOffer::ReadsAndWrites
    }

    fn read(&self, path: PathBuf) -> Answering<String> {
        let held = self.holds.lock().unwrap().clone();
        let held = held.or_else(|| fs::read_to_string(path).ok());
        Box::pin(async { held.ok_or_else(|| ClientFailure::Refused("nothing there".to_owned())) })
    }

    fn write(&self, _: PathBuf, text: String) -> Answering<()> {
        self.written.lock().unwrap().push(text.clone());
        (self.writes)(self, text)
    }
}

fn takes(fake: &Fake, text: String) -> Answering<()> {
    *fake.holds.lock().unwrap() = Some(text);
    Box::pin(async { Ok(()) })
}

struct Held {
    _folder: TempDir,
    at: Location,
    fake: Arc<Fake>,
    disk: Arc<AttendedDisk>,
    _lease: FileClientLease,
}

impl Held {
    /// A file with these bytes, and a client that is given a moment for reads and writes.
    fn new(bytes: Option<&[u8]>, writes: fn(&Fake, String) -> Answering<()>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        let path = root.join("a.txt");
        if let Some(bytes) = bytes {
            fs::write(&path, bytes).unwrap();
        }
        let fake = Arc::new(Fake {
            holds: Mutex::default(),
            writes,
            written: Mutex::default(),
        });
        let clients = Arc::new(FileClients::new(Patience {
            read: Duration::from_secs(3600),
            write: Duration::from_millis(1),
        }));
        let folders = vec![ClientFolder {
            real: root.clone(),
            named: root.clone(),
        }];
        let lease = clients.admit("s".into(), folders, Arc::clone(&fake) as _);
        let disk = AttendedDisk {
            disk: Arc::new(ReviewedDisk),
            clients,
        };
        Self {
            at: Location { root, path },
            _folder: folder,
            fake,
            disk: Arc::new(disk),
            _lease: lease,
        }
    }

    async fn hand_over(
        &self,
        before: Option<&'static str>,
        after: Option<&'static str>,
    ) -> Result<Replaced, FileError> {
        let (disk, at) = (Arc::clone(&self.disk), self.at.clone());
        let work = move || disk.hand_over(&at, before, after, &Delivery::default());
        tokio::task::spawn_blocking(work).await.unwrap()
    }

    fn bytes(&self) -> Vec<u8> {
        fs::read(&self.at.path).unwrap()
    }
}

#[tokio::test]
async fn what_the_client_holds_is_compared_and_written() {
    let held = Held::new(Some(b"disk\n"), takes);
    *held.fake.holds.lock().unwrap() = Some("typed\n".to_owned());
    let differs = held.hand_over(Some("disk\n"), Some("new\n")).await.unwrap();
    assert_eq!(differs, Replaced::Differs(Some("typed\n".to_owned())));
    assert!(held.fake.written.lock().unwrap().is_empty());
    let taken = held
        .hand_over(Some("typed\n"), Some("new\n"))
        .await
        .unwrap();
    assert_eq!(taken, Replaced::Taken("new\n".to_owned()));
    assert_eq!(held.bytes(), b"disk\n", "saving is the client's");
}

#[tokio::test]
async fn a_file_that_is_more_than_its_text_goes_over_the_disk() {
    let cases: [(&[u8], &'static str, &'static str, &[u8]); 3] = [
        (b"one\r\n", "one\r\n", "two\r\n", b"two\r\n"),
        (b"\xef\xbb\xbfone\n", "one\n", "two\n", b"\xef\xbb\xbftwo\n"),
        (
            b"caf\xe9 one\n",
            "caf\u{e9} one\n",
            "caf\u{e9} two\n",
            b"caf\xe9 two\n",
        ),
    ];
    for (bytes, before, after, wanted) in cases {
        let held = Held::new(Some(bytes), takes);
        let replaced = held.hand_over(Some(before), Some(after)).await.unwrap();
        assert_eq!(replaced, Replaced::Done);
        assert_eq!(held.bytes(), wanted);
        assert!(held.fake.written.lock().unwrap().is_empty());
    }
}

#[tokio::test]
async fn a_write_that_is_not_done_is_an_error_and_loses_nothing() {
    let silent = Held::new(Some(b"one\n"), |_, _| Box::pin(std::future::pending()));
    let error = silent.hand_over(Some("one\n"), Some("two\n")).await;
    assert!(matches!(error, Err(FileError::NotTaken)), "{error:?}");
    let refuses = Held::new(Some(b"one\n"), |_, _| {
        Box::pin(async { Err(ClientFailure::Refused("read-only".to_owned())) })
    });
    let error = refuses.hand_over(Some("one\n"), Some("two\n")).await;
    assert_eq!(
        error.unwrap_err().to_string(),
        "it cannot be written: read-only"
    );
    let lies = Held::new(Some(b"one\n"), |_, _| Box::pin(async { Ok(()) }));
    let error = lies.hand_over(Some("one\n"), Some("two\n")).await;
    assert!(matches!(error, Err(FileError::NotTaken)), "{error:?}");
    for held in [silent, refuses, lies] {
        assert_eq!(held.bytes(), b"one\n");
    }
}

#[tokio::test]
async fn a_file_is_taken_away_by_us() {
    let held = Held::new(Some(b"one\n"), takes);
    let gone = held.hand_over(Some("one\n"), None).await.unwrap();
    assert_eq!(gone, Replaced::Done);
    assert!(!held.at.path.exists());
}

#[tokio::test]
async fn no_client_is_asked_about_what_leads_out_of_the_workspace() {
    let held = Held::new(None, takes);
    let outside = tempfile::NamedTempFile::new().unwrap();
    std::os::unix::fs::symlink(outside.path(), &held.at.path).unwrap();
    let error = held.hand_over(Some(""), Some("text\n")).await;
    assert!(
        matches!(error, Err(FileError::OutsideWorkspace)),
        "{error:?}"
    );
    assert!(held.fake.written.lock().unwrap().is_empty());
}
