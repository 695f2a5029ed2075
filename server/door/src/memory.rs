//! The part of a door that each protocol has of its own.

use crate::Message;

/// What becomes of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// Its answer changes nothing that another host has to know. It is refused if the host dies.
    Nothing,
    /// The memory wants to see it again with its answer. It is refused if the host dies.
    UntilAnswered,
    /// The same, but if the host dies the next one answers it.
    ForTheNextHost,
}

/// What one conversation is about, as far as another host has to know it to go on with it. Lines are without their ends.
pub trait Memory {
    /// Sees everything that the client says, before the host does. What it returns counts for requests.
    fn heard(&mut self, message: &Message<'_>) -> Keep;

    /// The request that the client takes back with this message and that will have no answer, by its id as JSON.
    fn taken_back(&self, _message: &Message<'_>) -> Option<String> {
        None
    }

    /// A request that was kept has its answer, which is no error.
    fn answered(&mut self, request: &Message<'_>, answer: &Message<'_>);

    /// Sees what the host says without having been asked.
    fn told(&mut self, _message: &Message<'_>) {}

    /// The host is gone: lines for the client, about what it shows and nobody will take back.
    fn lost(&mut self) -> Vec<Vec<u8>> {
        Vec::new()
    }

    /// Why a request is refused that the dead host has not answered.
    fn reason_of_loss(&self, _method: &str) -> &'static str {
        "the host ended before it had answered, and another has its place; ask again"
    }

    /// Lines for a new host, in their order. Each request is answered before the next line goes.
    fn retell(&mut self) -> Vec<Vec<u8>>;

    /// The answer to such a request: lines for the client, about what may be otherwise than it knows.
    fn retold(&mut self, request: &Message<'_>, answer: &Message<'_>) -> Vec<Vec<u8>>;
}
