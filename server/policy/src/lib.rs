//! What the agent may do: rules in, a decision with its reason out.
//!
//! Owns rules, approval modes and the parsing of shell commands. Reads no file and no clock: whoever loads the
//! rule files hands their text in, and answers what a path leads to through [`Context::resolve`].

mod call;
mod decision;
mod engine;
mod mode;
pub mod shell;

pub use call::{Call, Context, Presence, Trust};
pub use decision::{Decision, PartVerdict, RulePlace, Verdict};
pub use engine::Policy;
pub use mode::ApprovalMode;
