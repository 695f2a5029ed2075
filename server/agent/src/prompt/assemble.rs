//! Puts the pieces together that a request begins with.

#[cfg(test)]
mod tests;

use pollux_model::{Content, Part, Request, Role, ToolDeclaration};
use serde_json::{Map, Value};

use super::cap::clip_with_note;
use super::memory::MemoryTexts;
use super::session_context::{ServerInstructions, SessionFacts, session_context};
use super::system::{StandingMemory, Switches, SystemBody, SystemState, system_prompt};

/// Of the first message. Its parts have their own caps; this one holds whatever they add up to.
pub const MAX_CONTEXT_BYTES: usize = 512 * 1024;

/// Everything that goes into a request besides tools and earlier turns.
#[derive(Clone, Debug)]
pub struct Material<'a> {
    pub system: &'a SystemState,
    pub switches: &'a Switches,
    pub body: SystemBody<'a>,
    pub session: &'a SessionFacts,
    pub memory: &'a MemoryTexts,
    pub servers: &'a [ServerInstructions],
    /// What [`EditorTold`](super::EditorTold) says.
    pub editor: Option<String>,
    /// What [`expand_references`](super::expand_references()) made of the prompt.
    pub prompt: Vec<Part>,
}

/// The pieces of a request, in the order in which they are sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Assembled {
    pub system_instruction: String,
    /// The first message. It is not a part of the conversation, so compression leaves it alone.
    pub context: Content,
    pub editor: Option<Content>,
    pub prompt: Content,
}

/// Puts the pieces together. The same material gives the same bytes, so that a provider's cache of a request's
/// beginning stays good.
pub fn assemble(material: Material<'_>) -> Assembled {
    let memory = material.memory;
    let standing = StandingMemory {
        global: &memory.global,
        user_project: &memory.user_project,
    };
    let system_instruction =
        system_prompt(material.system, material.switches, material.body, standing);
    let context = session_context(
        material.session,
        &memory.extension,
        &memory.project,
        material.servers,
    );
    let note = "\n[The context was cut at its size limit.]";
    Assembled {
        system_instruction,
        context: Content::prompt(clip_with_note(&context, MAX_CONTEXT_BYTES, note)),
        editor: material.editor.map(Content::prompt),
        prompt: Content {
            role: Role::User,
            parts: material.prompt,
        },
    }
}

impl Assembled {
    /// The request, with the turns so far between the context and what is new.
    pub fn into_request(
        self,
        history: Vec<Content>,
        tools: Vec<ToolDeclaration>,
        generation: Map<String, Value>,
    ) -> Request {
        let mut contents = vec![self.context];
        contents.extend(history);
        contents.extend(self.editor);
        contents.push(self.prompt);
        let system = self.system_instruction;
        Request {
            system_instruction: (!system.is_empty()).then_some(system),
            contents,
            tools,
            generation,
        }
    }
}
