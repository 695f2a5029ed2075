//! Contents of files, read by several threads and within limits.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::undo::open_plain;

/// Reads a file that should not be larger than this; one that has grown is an error.
pub(super) fn read(path: &Path, longest: u64) -> io::Result<Arc<[u8]>> {
    let file = open_plain(path)?;
    read_from(file, longest)
}

fn read_from(file: File, longest: u64) -> io::Result<Arc<[u8]>> {
    let mut bytes = Vec::new();
    let count = file
        .take(longest.saturating_add(1))
        .read_to_end(&mut bytes)?;
    match u64::try_from(count) {
        Ok(count) if count <= longest => Ok(bytes.into()),
        _ => Err(io::Error::other("it has grown")),
    }
}

/// Works on all items, and gives the results with the places of their items.
pub(super) fn in_parallel<Item: Sync, Done: Send>(
    items: &[Item],
    threads: usize,
    work: impl Fn(&Item) -> Done + Sync,
) -> Vec<(usize, Done)> {
    let next = AtomicUsize::new(0);
    let run = || {
        let mut done = Vec::new();
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(place) else {
                return done;
            };
            done.push((place, work(item)));
        }
    };
    std::thread::scope(|scope| {
        let helpers: Vec<_> = (1..threads.min(items.len()))
            .map(|_| scope.spawn(run))
            .collect();
        let mut all = run();
        for helper in helpers {
            // One that panicked has taken its results with it.
            all.extend(helper.join().unwrap_or_default());
        }
        all
    })
}
