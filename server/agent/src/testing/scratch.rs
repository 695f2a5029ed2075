use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use crate::Scratch;

/// A scratch that lives in memory, at `/scratch`.
#[derive(Default)]
pub(crate) struct MemoryScratch(Mutex<BTreeMap<String, String>>);

impl MemoryScratch {
    pub(crate) fn new(files: &[(&str, &str)]) -> Arc<Self> {
        let files = files
            .iter()
            .map(|(name, text)| (name.to_string(), text.to_string()));
        Arc::new(Self(Mutex::new(files.collect())))
    }

    pub(crate) fn shared() -> Arc<Self> {
        Arc::default()
    }

    /// What was written, with the length of each.
    pub(crate) fn sizes(&self) -> Vec<(String, usize)> {
        let files = self.0.lock().unwrap();
        let sizes = files.iter().map(|(name, text)| (name.clone(), text.len()));
        sizes.collect()
    }

    /// All files, as they are.
    pub(crate) fn files(&self) -> BTreeMap<String, String> {
        self.0.lock().unwrap().clone()
    }
}

impl Scratch for MemoryScratch {
    fn write<'a>(&'a self, name: &'a str, text: &'a str) -> BoxFuture<'a, io::Result<PathBuf>> {
        async move {
            let mut files = self.0.lock().unwrap();
            files.insert(name.to_owned(), text.to_owned());
            Ok(self.place(name))
        }
        .boxed()
    }

    fn read<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<String>> {
        async move {
            let files = self.0.lock().unwrap();
            let text = files.get(name).cloned();
            text.ok_or_else(|| io::ErrorKind::NotFound.into())
        }
        .boxed()
    }

    fn list<'a>(&'a self, folder: &'a str) -> BoxFuture<'a, io::Result<Vec<String>>> {
        async move {
            let files = self.0.lock().unwrap();
            let inside = |name: &String| {
                let rest = name.strip_prefix(folder)?.strip_prefix('/')?;
                (!rest.contains('/')).then(|| rest.to_owned())
            };
            Ok(files.keys().filter_map(inside).collect())
        }
        .boxed()
    }

    fn make_folder<'a>(&'a self, _: &'a Path) -> BoxFuture<'a, io::Result<()>> {
        async { Ok(()) }.boxed()
    }

    fn place(&self, name: &str) -> PathBuf {
        PathBuf::from("/scratch").join(name)
    }
}
