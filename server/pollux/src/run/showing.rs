//! `--show-prompt`: what would be sent, and nothing is.

use std::io::{self, Write};

use pollux_agent::api::{Event, Op, Prompt, PromptMark};
use pollux_agent::prompt::render;

use super::output::Ending;
use crate::session_source::ShownSession;
use crate::terminal;

/// Prints the first request that would come of the prompt.
pub(super) async fn show(shown: ShownSession, prompt: &str) -> io::Result<Result<(), Ending>> {
    let ShownSession {
        handle,
        mut events,
        mut requests,
    } = shown;
    let said = Prompt {
        mark: Some(PromptMark("run".into())),
        ..prompt.into()
    };
    // When the session has ended already, the missing event says so.
    let _ended = handle.submit(Op::Queue(said)).await;
    loop {
        let event = tokio::select! {
            biased;
            Some(request) = requests.recv() => {
                terminal::stdout().write_all(render(&request).as_bytes())?;
                return Ok(Ok(()));
            }
            event = events.recv() => event,
        };
        match event {
            Some(Event::TurnEnded { outcome, .. }) => return Ok(Err(Ending::Turn(outcome))),
            Some(Event::PromptServed { .. }) | None => return Ok(Err(Ending::Command)),
            Some(_) => {}
        }
    }
}
