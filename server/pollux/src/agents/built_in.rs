//! The agents that come with Pollux, under the twin's names, with instructions of our own.
//!
//! The twin's `cli_help` is not among them: it reads documentation that comes with the program, and there is none.

use std::time::Duration;

use pollux_agent::agents::{AgentDefinition, AgentResult, AgentTools};
use serde_json::json;

/// In the order in which the model is told of them.
pub(super) fn all() -> Vec<AgentDefinition> {
    vec![codebase_investigator(), generalist()]
}

fn codebase_investigator() -> AgentDefinition {
    let tools = ["list_directory", "read_file", "glob", "grep_search"];
    AgentDefinition {
        name: "codebase_investigator".to_owned(),
        display_name: Some("Codebase Investigator".to_owned()),
        description: "Finds out how something in this code base works, or where a change belongs: reads and searches \
                      widely, changes nothing, and reports the files and symbols that matter and why. For questions \
                      that take many files to answer. Tell it the whole question and what you know already."
            .to_owned(),
        instructions: include_str!("built_in/codebase_investigator.md").to_owned(),
        query: "Find this out:\n<objective>\n${objective}\n</objective>".to_owned(),
        input: "objective".to_owned(),
        tools: AgentTools::Named(tools.map(str::to_owned).to_vec()),
        result: AgentResult::Shaped {
            name: "report".to_owned(),
            schema: json!({
                "type": "object",
                "description": "What was found out.",
                "properties": {
                    "SummaryOfFindings": {
                        "type": "string",
                        "description": "The answer, and what whoever acts on it has to know."
                    },
                    "ExplorationTrace": {
                        "type": "array",
                        "description": "The steps that led there, one line each.",
                        "items": { "type": "string" }
                    },
                    "RelevantLocations": {
                        "type": "array",
                        "description": "The files that matter, the most important first.",
                        "items": {
                            "type": "object",
                            "properties": {
                                "FilePath": { "type": "string" },
                                "Reasoning": {
                                    "type": "string",
                                    "description": "Why it matters."
                                },
                                "KeySymbols": {
                                    "type": "array",
                                    "description": "Functions, types and constants to look at.",
                                    "items": { "type": "string" }
                                }
                            },
                            "required": ["FilePath", "Reasoning", "KeySymbols"]
                        }
                    }
                },
                "required": ["SummaryOfFindings", "ExplorationTrace", "RelevantLocations"]
            }),
        },
        max_turns: 50,
        max_time: AgentDefinition::MAX_TIME,
    }
}

fn generalist() -> AgentDefinition {
    AgentDefinition {
        name: "generalist".to_owned(),
        display_name: Some("Generalist".to_owned()),
        description: "Does a self-contained job with all your tools in a conversation of its own, so that yours stays \
                      short: the same change in many files, a command with much output, a long series of steps. Tell \
                      it everything it has to know."
            .to_owned(),
        instructions: include_str!("built_in/generalist.md").to_owned(),
        query: "${request}".to_owned(),
        input: "request".to_owned(),
        tools: AgentTools::All,
        result: AgentResult::Shaped {
            name: "result".to_owned(),
            schema: json!({
                "type": "object",
                "properties": {
                    "response": {
                        "type": "string",
                        "description": "What was done and what came of it, for whoever asked."
                    }
                },
                "required": ["response"]
            }),
        },
        max_turns: 20,
        max_time: Duration::from_secs(10 * 60),
    }
}
