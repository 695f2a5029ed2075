//! What the agent may do: rules in, a decision with its reason out.
//!
//! Owns rules, approval modes and the parsing of shell commands. Reads no file and no clock: whoever loads the
//! rule files hands their text in, and answers questions about links, folders and variables through [`WorkspaceView`].

mod call;
mod decision;
mod mode;
mod tier;
mod view;

mod mcp_name;
mod names;
mod paths;
mod pattern;
mod rule;
mod stable_json;

mod admin;
mod assemble;
mod checker;
mod defaults;
mod load;
mod problem;
mod settings_rules;

mod engine;
pub mod shell;

mod approval;
mod cases;
mod listing;
pub mod saved;

pub use admin::{DirectoryFacts, InsecureDirectory, check_admin_directory};
pub use approval::{
    Described, Draft, Narrowing, SERVER_FINGERPRINT, Scope, Suggestion, TOOL_FINGERPRINT,
};
pub use call::{Call, Context, Presence, Trust};
pub use cases::{BadCases, Case, CaseResult, parse_cases};
pub use checker::{CheckerRule, Conseca};
pub use decision::{Decision, PartVerdict, RulePlace, Verdict};
pub use engine::{Approvals, Options, Policy, Yolo, is_build_file};
pub use listing::{ConditionInfo, RuleInfo};
pub use load::{Loaded, RuleFile, load, unknown_tool};
pub use mcp_name::mcp_tool_name;
pub use mode::ApprovalMode;
pub use names::ToolPattern;
pub use problem::{Problem, ProblemKind};
pub use rule::Rule;
pub use settings_rules::{HeadlessServers, SettingsRules};
pub use tier::{Rank, Tier};
pub use view::{GitRepository, HiddenFiles, WorkspaceView};
