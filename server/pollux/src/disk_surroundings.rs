//! A terminal has no editor: a prompt names files of the disk.

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use pollux_agent::Surroundings;
use pollux_agent::prompt::{EditorContext, Reading};

use crate::prompt_files::DiskReading;

pub(crate) struct DiskSurroundings;

impl Surroundings for DiskSurroundings {
    fn editor(&self) -> BoxFuture<'_, Option<EditorContext>> {
        async { None }.boxed()
    }

    fn reading(&self) -> &dyn Reading {
        &DiskReading
    }
}
