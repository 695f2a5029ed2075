use std::io;
use std::path::{Component, Path, PathBuf};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use pollux_agent::Scratch;
use pollux_settings::{Durability, create_private_folder, replace_file};

/// A session's own folder on disk, for its owner only.
pub(crate) struct DiskScratch {
    folder: PathBuf,
}

impl DiskScratch {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Where a name lies, unless it leads elsewhere.
    fn inside(&self, name: &str) -> io::Result<PathBuf> {
        let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_));
        match Path::new(name).components().all(is_plain) {
            true => Ok(self.folder.join(name)),
            false => Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "the name leads out of the session's folder",
            )),
        }
    }
}

impl Scratch for DiskScratch {
    fn write<'a>(&'a self, name: &'a str, text: &'a str) -> BoxFuture<'a, io::Result<PathBuf>> {
        let path = self.inside(name);
        let text = text.to_owned();
        off_the_runtime(move || {
            let path = path?;
            if let Some(folder) = path.parent() {
                create_private_folder(folder)?;
            }
            replace_file(&path, text.as_bytes(), Durability::Process)?;
            Ok(path)
        })
    }

    fn read<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<String>> {
        let path = self.inside(name);
        off_the_runtime(move || std::fs::read_to_string(path?))
    }

    fn list<'a>(&'a self, folder: &'a str) -> BoxFuture<'a, io::Result<Vec<String>>> {
        let path = self.inside(folder);
        off_the_runtime(move || {
            let entries = match std::fs::read_dir(path?) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
                entries => entries?,
            };
            let mut names = Vec::new();
            for entry in entries {
                let entry = entry?;
                if entry.file_type()?.is_file() {
                    names.push(entry.file_name().to_string_lossy().into_owned());
                }
            }
            names.sort();
            Ok(names)
        })
    }

    fn make_folder<'a>(&'a self, folder: &'a Path) -> BoxFuture<'a, io::Result<()>> {
        let is_inside = folder.starts_with(&self.folder);
        let folder = folder.to_owned();
        off_the_runtime(move || match is_inside {
            true => create_private_folder(&folder),
            false => Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "the folder is not the session's",
            )),
        })
    }

    fn place(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}

fn off_the_runtime<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> BoxFuture<'static, io::Result<T>> {
    tokio::task::spawn_blocking(work)
        .map(|done| done.unwrap_or_else(|panic| Err(io::Error::other(panic))))
        .boxed()
}
