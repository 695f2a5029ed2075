//! Named gates, so that a test decides when a stream goes on instead of guessing a time.

use std::collections::HashSet;

use tokio::sync::watch;

/// Gates are closed until opened, and then stay open.
#[derive(Debug, Default)]
pub(super) struct Gates {
    open: watch::Sender<HashSet<String>>,
    reached: watch::Sender<HashSet<String>>,
}

impl Gates {
    pub(super) fn open(&self, name: &str) {
        self.open.send_modify(|open| {
            open.insert(name.to_owned());
        });
    }

    /// A reply stands before the gate.
    pub(super) async fn pass(&self, name: &str) {
        self.reached.send_modify(|reached| {
            reached.insert(name.to_owned());
        });
        wait_for_name(&self.open, name).await;
    }

    pub(super) async fn wait_reached(&self, name: &str) {
        wait_for_name(&self.reached, name).await;
    }
}

async fn wait_for_name(names: &watch::Sender<HashSet<String>>, name: &str) {
    names
        .subscribe()
        .wait_for(|names| names.contains(name))
        .await
        .expect("the sender is borrowed, so it lives");
}
