//! One job for one sub-agent: what it gets, and what comes of it.

use std::sync::Arc;

use pollux_model::{Availability, ModelError};
use uuid::Uuid;

use super::instructions::AgentInstructions;
use super::template::filled;
use super::{AgentDefinition, AgentRun, Agents, Delegate, HandedIn};
use crate::compression::Compressions;
use crate::loop_detection::LoopDetector;
use crate::prompt::EditorTold;
use crate::title::SharedTitle;
use crate::tools::{CompleteTask, Desk, ErrorKind, ToolError, ToolOutput};
use crate::topic::SharedTopic;
use crate::turn::{Failures, Filling, Job, JobEnd, Steering, Turn, Untold};
use crate::voices::first_voice;
use crate::{Entry, Fate, LoopDetection, SessionConfig};

/// Characters of a result that name the run in lists.
const LONGEST_SUMMARY: usize = 200;

/// A job for a sub-agent.
pub(crate) struct Assignment<'a> {
    pub(crate) agents: &'a dyn Agents,
    pub(crate) agent: &'a AgentDefinition,
    pub(crate) job: &'a str,
}

impl Assignment<'_> {
    /// Has it done. The agent has a conversation of its own; tools, policy, hooks and reviews are those of the session.
    pub(crate) async fn carry_out(&self, desk: &Desk<'_>) -> Result<ToolOutput, ToolError> {
        let agent = self.agent;
        let id = Uuid::new_v4().to_string();
        let ended = self.work(&id, desk).await;
        let (end, turns) = ended.map_err(|message| failed(agent, &message))?;
        let (reason, result) = match end {
            JobEnd::HandedIn(result) => ("GOAL", result),
            JobEnd::OutOfTime => {
                let minutes = agent.max_time.as_secs() / 60;
                let told = format!("Agent timed out after {minutes} minutes.");
                ("TIMEOUT", told)
            }
            JobEnd::OutOfTurns => {
                let told = format!("Agent reached max turns limit ({}).", agent.max_turns);
                ("MAX_TURNS", told)
            }
            JobEnd::FellSilent => {
                let told = "Agent stopped calling tools but did not call 'complete_task'.";
                ("ERROR_NO_COMPLETE_TASK_CALL", told.to_owned())
            }
            JobEnd::Stopped => return Err(ToolError::cancelled().of_agent(id)),
            JobEnd::Failed(message) => return Err(failed(agent, &message).of_agent(id)),
        };
        let summary = match (reason, turns) {
            ("GOAL", 1) => "Done in 1 turn".to_owned(),
            ("GOAL", turns) => format!("Done in {turns} turns"),
            _ => result.clone(),
        };
        let told = format!(
            "Subagent '{}' finished.\nTermination Reason: {reason}\nResult:\n{result}",
            agent.name
        );
        Ok(ToolOutput {
            agent: Some(id),
            ..ToolOutput::text(told, summary)
        })
    }

    /// How it ended, and after how many turns. The error is for the model.
    async fn work(&self, id: &str, desk: &Desk<'_>) -> Result<(JobEnd, u32), String> {
        let Self { agents, agent, .. } = *self;
        let own = agents.voices(agent);
        let voices = own.unwrap_or_else(|| Arc::clone(&desk.config.voices));
        let voices = agents.tempered(agent, voices);
        let mut availability = Availability::default();
        let first = first_voice(&*voices, desk.mode.get(), &mut availability);
        let (voice_name, voice) = first.map_err(|error: ModelError| error.to_string())?;
        let known = |name: &str| match name {
            "activeModel" => Some(voice.model.name().to_owned()),
            name if name == agent.input => Some(self.job.to_owned()),
            name => agents.fact(name),
        };
        if agent.instructions.trim().is_empty() {
            return Err("it has no instructions".to_owned());
        }
        let instructions = AgentInstructions {
            own: filled(&agent.instructions, &known)?,
            session: desk.config.instructions.clone(),
        };
        let job = filled(&agent.query, &known)?;
        let handed_in = HandedIn::default();
        let delegate = Arc::new(Delegate::new(
            &agent.name,
            &desk.call.id,
            id,
            agent.max_turns,
        ));
        let complete_task = CompleteTask::new(agent.result.clone(), handed_in.clone());
        let config = SessionConfig {
            voices,
            instructions: Some(Arc::new(instructions)),
            tools: desk.config.tools.for_agent(&agent.tools, complete_task),
            turn_limit: None,
            commands: None,
            ..desk.config.clone()
        };
        let mut journal = agents.journal(&AgentRun { id, agent });
        let mut turn = Turn {
            id: desk.turn,
            config: &config,
            history: &mut Vec::new(),
            journal: &mut *journal,
            memory: None,
            availability: &mut availability,
            told: &mut EditorTold::default(),
            untold: &mut Untold::default(),
            marks: &mut Vec::new(),
            filling: &mut Filling::estimate(&config.opening, &[]),
            rounds: &mut 0,
            mode: desk.mode.clone(),
            topic: SharedTopic::default(),
            title: SharedTitle::default(),
            routed: None,
            compressions: &mut Compressions::default(),
            failures: Failures::default(),
            fate: Fate::default(),
            loops: match config.loop_detection {
                LoopDetection::On => LoopDetector::new(),
                LoopDetection::Off => LoopDetector::disabled(),
            },
            voice_name,
            voice: voice.clone(),
            events: desk.events.of_delegate(Arc::clone(&delegate)),
            pending: desk.pending.clone(),
            running: desk.running.clone(),
            steering: Steering::default(),
            cancel: desk.cancel.child_token(),
            abandoned: desk.cancel.child_token(),
        };
        let end = turn
            .work(&Job {
                text: &job,
                delegate: &delegate,
                handed_in: &handed_in,
                cancel: desk.cancel,
                max_turns: agent.max_turns,
                max_time: agent.max_time,
            })
            .await;
        drop(turn);
        if let JobEnd::HandedIn(result) = &end {
            let title = &summary(result);
            journal.record(Entry::Titled { title });
        }
        Ok((end, delegate.turns()))
    }
}

fn failed(agent: &AgentDefinition, message: &str) -> ToolError {
    let told = format!("Subagent '{}' failed. Error: {message}", agent.name);
    ToolError::new(ErrorKind::ExecutionFailed, told).shown_as(message)
}

/// The beginning of a result, in one line.
fn summary(result: &str) -> String {
    let line = result.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LONGEST_SUMMARY) {
        None => line,
        Some(_) => {
            let kept: String = line.chars().take(LONGEST_SUMMARY - 3).collect();
            format!("{kept}...")
        }
    }
}
