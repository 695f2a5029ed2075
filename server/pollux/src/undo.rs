use std::path::{Path, PathBuf};

use futures_util::future::BoxFuture;
use pollux_agent::Keeper;
use pollux_policy::shell::Destruction;
use pollux_settings::Locations;

pub(crate) struct DiskKeeper;

impl DiskKeeper {
    pub(crate) fn new(_: PathBuf, _: Vec<PathBuf>) -> Self {
        Self
    }
}

impl Keeper for DiskKeeper {
    fn keep<'a>(
        &'a self,
        _: &'a str,
        _: &'a Path,
        _: &'a [Destruction],
    ) -> BoxFuture<'a, Result<(), String>> {
        Box::pin(async { Ok(()) })
    }
}

pub(crate) fn store(locations: &Locations, _: &Path) -> PathBuf {
    locations.gemini_dir.join("pollux").join("undo")
}
