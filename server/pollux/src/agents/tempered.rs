//! Models that are asked in a way of their own: with the temperature that an agent's author wants.

use std::sync::Arc;

use pollux_agent::{Thinking, Voice, Voices};
use pollux_model::{Chain, ChainMode, ModelError};
use serde_json::{Map, Value};

pub(super) struct Tempered {
    voices: Arc<dyn Voices>,
    generation: Map<String, Value>,
}

impl Tempered {
    pub(super) fn shared(
        voices: Arc<dyn Voices>,
        generation: Map<String, Value>,
    ) -> Arc<dyn Voices> {
        match generation.is_empty() {
            true => voices,
            false => Arc::new(Self { voices, generation }),
        }
    }

    fn over(&self, mut generation: Map<String, Value>) -> Map<String, Value> {
        generation.extend(self.generation.clone());
        generation
    }
}

impl Voices for Tempered {
    fn requested(&self) -> &str {
        self.voices.requested()
    }

    fn thinking(&self) -> Thinking {
        self.voices.thinking()
    }

    fn chain(&self, active: &str, mode: ChainMode) -> Chain {
        self.voices.chain(active, mode)
    }

    fn voice(&self, model: &str, attempts: Option<u32>) -> Result<Voice, ModelError> {
        let voice = self.voices.voice(model, attempts)?;
        Ok(Voice {
            generation: self.over(voice.generation),
            ..voice
        })
    }

    fn generation_for_retry(&self, model: &str) -> Option<Map<String, Value>> {
        self.voices.generation_for_retry(model)
    }

    fn utility(&self, alias: &str) -> Result<Voice, ModelError> {
        self.voices.utility(alias)
    }
}
