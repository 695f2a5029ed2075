use std::sync::Arc;

use super::*;
use crate::list::list_sessions;
use crate::testing::*;

/// Makes the file look old, and waits until it counts as settled.
fn settle(path: &Path, seconds: u64) -> Stamp {
    let file = std::fs::File::options().append(true).open(path).unwrap();
    file.set_modified(at(seconds)).unwrap();
    loop {
        if let Some(stamp) = Stamp::of(path, SystemTime::now()) {
            return stamp;
        }
        std::thread::yield_now();
    }
}

fn titles(sandbox: &Sandbox) -> Vec<String> {
    let listing = list_sessions(&sandbox.project, None).unwrap();
    let titles = listing.sessions.into_iter().map(|info| info.title);
    titles.collect()
}

#[test]
fn a_file_is_read_again_only_when_it_has_changed() {
    let mut sandbox = Sandbox::new();
    let index = Arc::new(SessionIndex::default());
    sandbox.project = sandbox.project.with_index(Arc::clone(&index));
    let path = sandbox.session(id('a'), at(0), "the first question");
    let stamp = settle(&path, 0);
    assert_eq!(titles(&sandbox), ["the first question"]);
    let FileSummary::Session(mut known) = index.get(&path, &stamp).unwrap() else {
        panic!("a session");
    };

    // What the index says is believed, because the file is as it was.
    known.title = "from the index".to_owned();
    index.put(&path, stamp, FileSummary::Session(known));
    assert_eq!(titles(&sandbox), ["from the index"]);

    // The same length and the same time, and yet another file.
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("the first", "the other")).unwrap();
    settle(&path, 0);
    assert_eq!(titles(&sandbox), ["the other question"]);
}

#[test]
fn a_file_that_is_being_written_is_read_every_time() {
    let sandbox = Sandbox::new();
    let path = sandbox.session(id('a'), at(0), "hello");
    let written = path.metadata().unwrap().modified().unwrap();
    assert_eq!(Stamp::of(&path, written + SETTLED), None);
    assert!(Stamp::of(&path, written + 3 * SETTLED).is_some());
    // A clock that went back makes no file settle later than others.
    assert!(Stamp::of(&path, written - 3 * SETTLED).is_some());
}

#[test]
fn files_that_are_gone_and_projects_too_many_are_forgotten() {
    let sandbox = Sandbox::new();
    let path = sandbox.session(id('a'), at(0), "hello");
    let stamp = settle(&path, 0);
    let index = SessionIndex::default();
    let put = |folder: &str, count: usize| {
        for number in 0..count {
            let path = Path::new(folder).join(number.to_string());
            index.put(&path, stamp, FileSummary::Corrupt);
        }
    };
    put("/a", 3);
    put("/b", 3);
    index.keep(Path::new("/a"), &[PathBuf::from("/a/1")]);
    assert_eq!(index.lock().len(), 4);
    put("/b", MOST_FILES);
    index.keep(Path::new("/a"), &[PathBuf::from("/a/1")]);
    assert_eq!(
        index.lock().len(),
        1,
        "the project that was listed last stays"
    );
    put("/b", 2 * MOST_FILES);
    let mut listed: Vec<PathBuf> = index.lock().keys().cloned().collect();
    listed.sort();
    index.keep(Path::new("/b"), &listed);
    assert!(index.lock().len() <= MOST_FILES);
}
