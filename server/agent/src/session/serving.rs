//! A prompt whose turn has come: it is a command, or it goes to the model.

use crate::api::{Event, IfUnknown, NewVoices, Prompt, ServedBy, TurnId};
use crate::commands::{Counter, Figures, Invocation, Outcome, invocation, memory_list};
use crate::{Beginning, CustomCommand};

use super::{Heard, Session, chosen, emit, set_mode};

/// What a session may be busy with.
pub(super) enum Task {
    Prompt(Prompt),
    /// A prompt that somebody has written, by what was typed.
    Custom(Prompt, CustomCommand),
    Compress,
}

impl Session {
    /// A prompt or a command, whose turn has come. Afterwards it is recorded, or is nothing to record.
    pub(super) async fn take_prompt(&mut self, prompt: Prompt) -> Heard {
        let (kept, mark) = (prompt.kept, prompt.mark.clone());
        if let Some(mark) = mark.clone() {
            emit(&self.events, Event::PromptTaken(mark)).await;
        }
        let before = self.turns;
        self.serving.clone_from(&mark);
        let outcome = self.look_up(&prompt).await;
        let without_turn = match outcome {
            Some(Outcome::Unknown(_)) => ServedBy::NoSuchCommand,
            _ => ServedBy::Command,
        };
        let heard = match outcome {
            Some(outcome) => self.carry_out(outcome, prompt).await,
            None => self.run_task(Task::Prompt(prompt)).await,
        };
        self.serving = None;
        self.queue.gone(kept);
        if let Some(mark) = mark {
            let by = match self.turns == before {
                true => without_turn,
                false => ServedBy::Turn(TurnId(self.turns)),
            };
            emit(&self.events, Event::PromptServed { mark, by }).await;
        }
        heard
    }

    /// What the command comes to that a prompt is; nothing for a prompt that is none.
    async fn look_up(&mut self, prompt: &Prompt) -> Option<Outcome> {
        let commands = self.config.commands.clone()?;
        let invocation = command_in(prompt)?;
        let counter = Counter {
            config: &self.config,
            commands: &*commands,
            memory: self.memory.as_ref().map_or(&[], |memory| memory.files()),
            turns: self.turns_to_go_back_to(),
            figures: Figures {
                turns: self.turns,
                requests: self.rounds,
                prompt_tokens: self.filling.tokens(),
            },
        };
        Some(counter.serve(&invocation).await)
    }

    async fn carry_out(&mut self, outcome: Outcome, prompt: Prompt) -> Heard {
        let invocation = command_in(&prompt);
        let command = invocation.map_or_else(String::new, |typed| typed.name.to_owned());
        match outcome {
            Outcome::Unknown(_) if prompt.if_unknown == IfUnknown::Sent => {
                self.run_task(Task::Prompt(prompt)).await
            }
            Outcome::Answer(text) | Outcome::Unknown(text) => {
                emit(&self.events, Event::CommandAnswered { command, text }).await
            }
            Outcome::Prompt(text) => {
                let stands_for = Some(prompt.text.trim().to_owned());
                let filled = Prompt {
                    text,
                    stands_for,
                    context: prompt.context,
                    kept: prompt.kept,
                    ..Prompt::default()
                };
                self.run_task(Task::Prompt(filled)).await
            }
            Outcome::Custom(custom) => self.run_task(Task::Custom(prompt, custom)).await,
            Outcome::Compress => self.run_task(Task::Compress).await,
            Outcome::Refresh(beginning) => {
                let Beginning {
                    instructions,
                    opening,
                    memory,
                } = *beginning;
                let text = memory_list(memory.files());
                self.config.instructions = Some(instructions);
                self.config.opening = opening;
                self.memory = Some(memory);
                emit(&self.events, Event::CommandAnswered { command, text }).await
            }
            Outcome::Rewind(turn) => {
                let event = self.rewind(turn);
                emit(&self.events, event).await
            }
            Outcome::SetModel(NewVoices(voices)) => {
                let chosen = chosen(&*voices);
                self.config.voices = voices;
                emit(&self.events, chosen).await
            }
            Outcome::SetMode(mode, prompt) => {
                let event = set_mode(&self.mode, &*self.config.gate, mode);
                let heard = emit(&self.events, event).await;
                match prompt.filter(|_| heard == Heard::Yes) {
                    Some(text) => self.run_task(Task::Prompt(text.as_str().into())).await,
                    None => heard,
                }
            }
        }
    }
}

/// The command that a prompt is. With something attached it is none.
pub(super) fn command_in(prompt: &Prompt) -> Option<Invocation<'_>> {
    invocation(&prompt.text).filter(|_| prompt.attachments.is_empty())
}
