//! Routing: which model answers a prompt, and why.
//!
//! Strategies in a fixed order, the first one with an opinion decides. The twin's local classifier (Gemma behind
//! LiteRT) is not among them: it is off there unless somebody sets it up. What goes wrong in a strategy is its own
//! matter; the next one decides.

mod classifier;
mod numerical;
mod window;

#[cfg(test)]
mod tests;

use std::fmt;
use std::time::Instant;

use pollux_model::{Availability, Chain, Content, Family, ModelStatus, Rank, family, is_auto};
use pollux_policy::ApprovalMode;
use tracing::warn;

use crate::utility::{Utility, UtilityError};
use crate::voices::chain_mode;

/// What the settings say about routing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Routing {
    pub plan: PlanRouting,
    pub classification: Classification,
    pub numerical: NumericalRouting,
}

/// Whether planning goes to the large model and the work on an approved plan to the small one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanRouting {
    On,
    Off,
}

/// Whether a small model looks at a prompt and says which model it needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Classification {
    On,
    /// The large model answers everything that nothing else speaks against.
    Off,
}

/// How Gemini 3 is chosen from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NumericalRouting {
    /// By a score: from this one on, of 100, a prompt goes to the large model.
    From(f64),
    /// By name, as older generations are.
    Off,
}

impl Default for Routing {
    fn default() -> Self {
        Self {
            plan: PlanRouting::On,
            classification: Classification::On,
            numerical: NumericalRouting::From(Self::THRESHOLD),
        }
    }
}

impl Routing {
    pub const THRESHOLD: f64 = 90.0;
}

/// Who decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Fallback,
    Override,
    ApprovalMode,
    Classifier,
    NumericalClassifier,
    Default,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Self::Fallback => "fallback",
            Self::Override => "override",
            Self::ApprovalMode => "approval-mode",
            Self::Classifier => "classifier",
            Self::NumericalClassifier => "numerical-classifier",
            Self::Default => "default",
        };
        write!(f, "agent-router/{name}")
    }
}

/// A model by its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Size {
    Pro,
    Flash,
}

/// What there is to choose by.
pub(crate) struct Router<'turn> {
    pub(crate) utility: Utility<'turn>,
    pub(crate) options: Routing,
    pub(crate) availability: &'turn Availability,
    pub(crate) mode: ApprovalMode,
    pub(crate) plan: Plan,
    /// The conversation; the prompt is its end.
    pub(crate) history: &'turn [Content],
}

/// Whether there is a plan that the person has agreed to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Plan {
    #[default]
    None,
    Approved,
}

/// Which model's chain to ask.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Route {
    pub(crate) model: String,
    pub(crate) source: Source,
}

/// The turn was stopped meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stopped;

impl Router<'_> {
    pub(crate) async fn route(&self) -> Result<Route, Stopped> {
        let requested = self.utility.voices.requested();
        let chain = self.utility.voices.chain(requested, chain_mode(self.mode));
        let to = |model: &str, source| Route {
            model: model.to_owned(),
            source,
        };
        let Some(first) = chain.policies().next().map(|policy| policy.model.as_str()) else {
            return Ok(to(requested, Source::Default));
        };
        if !self.is_available(first) {
            return Ok(to(requested, Source::Fallback));
        }
        if !is_auto(requested) {
            return Ok(to(requested, Source::Override));
        }
        if let Some(size) = self.by_mode() {
            return Ok(to(model_of(&chain, size), Source::ApprovalMode));
        }
        for strategy in [Source::Classifier, Source::NumericalClassifier] {
            let picked = match self.classify(strategy, first).await {
                Ok(Some(size)) => model_of(&chain, size),
                Ok(None) => continue,
                Err(UtilityError::Cancelled) => return Err(Stopped),
                Err(error) => {
                    warn!(%error, %strategy, "the model is chosen in another way");
                    continue;
                }
            };
            if self.is_available(picked) {
                return Ok(to(picked, strategy));
            }
        }
        Ok(to(requested, Source::Default))
    }

    fn by_mode(&self) -> Option<Size> {
        match (self.options.plan, self.mode, self.plan) {
            (PlanRouting::Off, _, _) => None,
            (PlanRouting::On, ApprovalMode::Plan, _) => Some(Size::Pro),
            (PlanRouting::On, _, Plan::Approved) => Some(Size::Flash),
            (PlanRouting::On, _, Plan::None) => None,
        }
    }

    async fn classify(&self, strategy: Source, model: &str) -> Result<Option<Size>, UtilityError> {
        if self.options.classification == Classification::Off {
            return Ok(None);
        }
        let is_gemini_3 = family(model) == Family::Gemini3;
        match (strategy, self.options.numerical) {
            (Source::NumericalClassifier, NumericalRouting::From(threshold)) if is_gemini_3 => {
                numerical::classify(self.utility, self.history, threshold)
                    .await
                    .map(Some)
            }
            (Source::Classifier, NumericalRouting::From(_)) if is_gemini_3 => Ok(None),
            (Source::Classifier, _) => classifier::classify(self.utility, self.history).await,
            _ => Ok(None),
        }
    }

    fn is_available(&self, model: &str) -> bool {
        match self.availability.status(model, Instant::now()) {
            ModelStatus::Healthy | ModelStatus::OneTry => true,
            ModelStatus::NextTurn | ModelStatus::Terminal { .. } => false,
        }
    }
}

/// The chain of an automatic choice begins with its large model and ends with its small one.
fn model_of(chain: &Chain, size: Size) -> &str {
    let mut policies = chain.policies();
    let found = match size {
        Size::Pro => policies.next(),
        Size::Flash => policies.find(|policy| policy.rank == Rank::LastResort),
    };
    found.map_or("", |policy| policy.model.as_str())
}
