//! A shell that runs nothing by itself.

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use pollux_exec::{Guard, Terminal};
use pollux_policy::shell::Destruction;

use crate::{Keeper, ShellSetup, Unwatched};

struct NoKeeper;

impl Keeper for NoKeeper {
    fn keep<'a>(
        &'a self,
        _: &'a str,
        _: &'a std::path::Path,
        _: &'a [Destruction],
    ) -> BoxFuture<'a, Result<(), String>> {
        async { Ok(()) }.boxed()
    }
}

pub(crate) fn shell_setup() -> ShellSetup {
    ShellSetup {
        guard: Guard {
            program: "nothing".into(),
            arguments: Vec::new(),
        },
        environment: Vec::new(),
        terminal: Terminal::Pipes,
        sandbox: None,
        inactivity: None,
        longest_output: 40_000,
        keeper: Arc::new(NoKeeper),
        watch: Arc::new(Unwatched),
        changes: Arc::new(Unwatched),
        background: Arc::default(),
        changed_build_files: Arc::default(),
        terminals: None,
        temporary: None,
    }
}
