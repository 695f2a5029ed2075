use std::sync::Arc;
use std::time::Instant;

use pollux_model::{Availability, Chain, ChainMode, Model, ModelError, Previews};
use pollux_policy::ApprovalMode;
use serde_json::{Map, Value};

/// The models a session may talk to.
///
/// A session asks for one by name; when that one fails it goes along the chain, and says so.
pub trait Voices: Send + Sync {
    /// What the person asked for: a model or an alias.
    fn requested(&self) -> &str;

    /// How long the one that was asked for may think.
    fn thinking(&self) -> Thinking {
        Thinking::AsConfigured
    }

    /// Who is asked, in order, when `active` is the model in use.
    fn chain(&self, active: &str, mode: ChainMode) -> Chain;

    /// A model, ready to be spoken to. `attempts` is how often a request may be sent, if the chain
    /// knows better than the settings.
    fn voice(&self, model: &str, attempts: Option<u32>) -> Result<Voice, ModelError>;

    /// How a model is to be asked once more, after an answer that was none. Nothing: as before.
    fn generation_for_retry(&self, _model: &str) -> Option<Map<String, Value>> {
        None
    }

    /// The model for a task of ours, by the alias that settings know it under: `web-search`,
    /// `chat-compression-default`. A provider without such aliases gives the model it has.
    fn utility(&self, alias: &str) -> Result<Voice, ModelError>;
}

/// How long the model may think before it answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Thinking {
    #[default]
    AsConfigured,
    Little,
    Much,
}

/// A model and how it is to be asked.
#[derive(Clone, Debug)]
pub struct Voice {
    pub model: Model,
    pub generation: Map<String, Value>,
}

/// Whoever plans is not asked which model goes on.
pub(crate) fn chain_mode(mode: ApprovalMode) -> ChainMode {
    match mode {
        ApprovalMode::Plan => ChainMode::Plan,
        ApprovalMode::Default | ApprovalMode::AutoEdit | ApprovalMode::Yolo => ChainMode::Normal,
    }
}

/// The first model of the chain that is there, and what it was asked for by.
pub(crate) fn first_voice(
    voices: &dyn Voices,
    mode: ApprovalMode,
    availability: &mut Availability,
) -> Result<(String, Voice), ModelError> {
    availability.reset_turn();
    let chain = voices.chain(voices.requested(), chain_mode(mode));
    // A guess: the choice itself is made with the prompt, and only it may use up a model's one try.
    let selection = chain.select(&mut availability.clone(), Instant::now());
    let name = selection.model;
    let name = name.unwrap_or_else(|| voices.requested().to_owned());
    let voice = voices.voice(&name, selection.attempts)?;
    Ok((name, voice))
}

/// One model and no other.
pub struct OneVoice {
    model: Model,
    requested: String,
}

impl OneVoice {
    pub fn shared(model: Model) -> Arc<dyn Voices> {
        let requested = model.name().to_owned();
        Self::named(model, requested)
    }

    /// A model that is asked for by another name than its own, such as `ollama:qwen3`.
    pub fn named(model: Model, requested: String) -> Arc<dyn Voices> {
        Arc::new(Self { model, requested })
    }
}

impl Voices for OneVoice {
    fn requested(&self) -> &str {
        &self.requested
    }

    fn chain(&self, active: &str, mode: ChainMode) -> Chain {
        Chain::new(active, active, Previews::Denied, mode)
    }

    fn voice(&self, _: &str, _: Option<u32>) -> Result<Voice, ModelError> {
        Ok(Voice {
            model: self.model.clone(),
            generation: Map::new(),
        })
    }

    fn utility(&self, alias: &str) -> Result<Voice, ModelError> {
        self.voice(alias, None)
    }
}
