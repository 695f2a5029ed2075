//! Everything that is put in front of a model, as functions over data.
//!
//! Owns the session context, the system prompt, memory files, the editor's context and `@` references. Reads
//! files through [`Reading`] alone, knows no clock and no environment, and gives every text a hard size cap.

mod assemble;
mod cap;
mod decisions;
mod editor_context;
mod folder_tree;
mod input;
mod instructions;
mod memory;
mod place;
mod problems;
mod reading;
mod reference;
mod render;
mod servers;
mod session_context;
mod system;

#[cfg(test)]
pub(crate) mod testing;

pub use assemble::{Assembled, MAX_CONTEXT_BYTES, Material, assemble};
pub use decisions::{HunkDecision, HunkVerdict, MAX_DECISIONS_BYTES, tell_decisions};
pub use editor_context::{
    ActiveEditor, Cursor, EditorContext, EditorNews, EditorTold, HistoryEnd, MAX_OPEN_FILES,
    MAX_SELECTION_BYTES,
};
pub use folder_tree::{MAX_TREE_BYTES, MAX_TREE_ITEMS, folder_tree};
pub use input::{Input, MAX_SHELL_OUTPUT_CHARS, shell_message};
pub use instructions::SystemInstructions;
pub use memory::{
    ImportFormat, MAX_DISCOVERED_BYTES, MAX_IMPORT_DEPTH, MAX_IMPORTS, MAX_MEMORY_BYTES,
    MAX_MEMORY_FILE_BYTES, Memory, MemoryFile, MemoryNames, MemorySettings, MemoryTexts, Tier,
    Trust,
};
pub use problems::{MAX_PROBLEMS, Problem, ProblemSeverity, tell_problems};
pub use reading::{
    Entry, EntryKind, FileHead, FileIdentity, FileKind, Found, IgnoreRule, ReadError, Reading,
    Visibility,
};
pub use reference::{
    MAX_FOLDER_FILES, MAX_INLINE_BYTES, MAX_INLINE_TOTAL_BYTES, MAX_REFERENCE_FILE_BYTES,
    MAX_REFERENCE_LINES, MAX_REFERENCE_TOTAL_BYTES, MAX_REFERENCES, PromptParts, ReferenceNote,
    ReferenceProblem, ReferenceScope, expand_references,
};
pub use render::render;
pub(crate) use servers::{missing_servers, server_instructions};
pub use session_context::{CalendarDate, MAX_INSTRUCTIONS_BYTES, ServerInstructions, SessionFacts};
pub use system::{
    Audience, Hooks, MAX_DESCRIPTION_BYTES, MAX_LISTED, MAX_REPLACEMENT_BYTES, MAX_SYSTEM_BYTES,
    Mode, ModelFamily, Repository, Sandbox, Section, Skill, StandingMemory, SubAgent, Switches,
    SystemBody, SystemFile, SystemFileError, SystemState, TaskTracker, read_replacement,
    system_prompt, system_sections,
};
