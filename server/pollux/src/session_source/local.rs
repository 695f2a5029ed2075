//! Models on this machine: which there are, and what they take. Asked beside everything else, and never waited for long.

use std::collections::HashMap;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use pollux_model::{ApiKey, ContextWindow, Http, NetworkOptions, find_ollama, ollama_window};
use pollux_settings::{Environment, Loaded};
use tokio::runtime::Handle;

use super::options;

/// A server on this machine answers much sooner; whoever opens a list does not notice it.
const PATIENCE: Duration = Duration::from_millis(150);
/// How long an answer counts.
const FRESH: Duration = Duration::from_secs(10);
/// A list that nobody reads to its end helps nobody.
const LONGEST_LIST: usize = 20;

/// What servers on this machine have said, by their address.
#[derive(Clone, Default)]
pub(crate) struct LocalModels(Arc<Mutex<HashMap<String, Known>>>);

struct Known {
    asked: Instant,
    models: Vec<String>,
}

impl LocalModels {
    /// The models of the Ollama at `host`, as far as they are known now. What comes too late is there the next time.
    pub(super) fn names(&self, network: &NetworkOptions, host: Option<&str>) -> Vec<String> {
        let key = host.unwrap_or_default().to_owned();
        let before = match self.known().get(&key) {
            Some(known) if known.asked.elapsed() < FRESH => return known.models.clone(),
            Some(known) => known.models.clone(),
            None => Vec::new(),
        };
        let Ok(runtime) = Handle::try_current() else {
            return before;
        };
        let (told, answer) = channel();
        let (cell, http) = (self.clone(), Http::new(network.clone()));
        runtime.spawn(async move {
            let found = find_ollama(
                &http,
                Some(&key)
                    .filter(|host| !host.is_empty())
                    .map(String::as_str),
            );
            let found = found.await.map(|ollama| ollama.models);
            let models: Vec<String> = found.into_iter().flatten().take(LONGEST_LIST).collect();
            let known = Known {
                asked: Instant::now(),
                models: models.clone(),
            };
            cell.known().insert(key, known);
            // Whoever asked may have gone on without.
            let _gone = told.send(models);
        });
        answer.recv_timeout(PATIENCE).unwrap_or(before)
    }

    fn known(&self) -> MutexGuard<'_, HashMap<String, Known>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How many tokens a model of Ollama takes: by the settings, by what the server was started with, or by what it says,
/// which is learned while the session begins.
pub(super) fn window(
    loaded: &Loaded,
    environment: &Environment,
    http: &Http,
    model: &str,
) -> ContextWindow {
    let started_with = environment.get("OLLAMA_CONTEXT_LENGTH");
    let started_with = || started_with.and_then(|tokens| tokens.trim().parse().ok());
    let set = options::window(loaded, model).or_else(started_with);
    if let Some(tokens) = set.filter(|tokens| *tokens > 0) {
        return ContextWindow::of(tokens);
    }
    let window = ContextWindow::default();
    if let Ok(runtime) = Handle::try_current() {
        let host = environment.get("OLLAMA_HOST").map(str::to_owned);
        let (http, model, learned) = (http.clone(), model.to_owned(), window.clone());
        runtime.spawn(async move {
            if let Some(tokens) = ollama_window(&http, host.as_deref(), &model).await {
                learned.learn(tokens);
            }
        });
    }
    window
}

/// What a server has that somebody has named without a model. A server that does not say so may still answer: some
/// have one model, whatever it is called.
pub(super) fn first_model(network: &NetworkOptions, base: &str, key: Option<ApiKey>) -> String {
    const ANY: &str = "default";
    let (network, base) = (network.clone(), base.to_owned());
    // A thread and a runtime of its own: this is called with and without one.
    let asking = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .ok()?;
        let http = Http::new(network);
        runtime.block_on(pollux_model::first_model(&http, &base, key.as_ref()))
    });
    asking
        .join()
        .ok()
        .flatten()
        .unwrap_or_else(|| ANY.to_owned())
}

#[cfg(test)]
mod tests;
