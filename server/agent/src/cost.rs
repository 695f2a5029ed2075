//! What a session costs, where somebody has said what its models cost.
//!
//! No price is built in: providers change them, and a wrong figure is worse than none.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use pollux_model::Usage;

use crate::api::Cost;

/// Tokens that a price is for.
const PER: f64 = 1_000_000.0;

/// What a million tokens cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Price {
    pub input: f64,
    /// Of what comes from the provider's cache. Nothing: as much as any other input.
    pub cached_input: Option<f64>,
    /// Thoughts are paid like the answer.
    pub output: f64,
    /// Such as `USD`.
    pub currency: String,
}

/// Prices by the name of a model, or by how names begin.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prices(Vec<(String, Price)>);

/// What was spent so far, by currency.
pub type Spent = BTreeMap<String, f64>;

impl Prices {
    /// The longest beginning that fits counts.
    fn of(&self, model: &str) -> Option<&Price> {
        let fitting = self.0.iter().filter(|(name, _)| model.starts_with(name));
        let longest = fitting.max_by_key(|(name, _)| name.len());
        longest.map(|(_, price)| price)
    }

    /// What a session has cost in earlier days, in the currency of the model that answers now.
    pub fn cost_before(&self, model: &str, spent: &Spent) -> Option<Cost> {
        let currency = &self.of(model)?.currency;
        Some(Cost {
            turn: 0.0,
            session: *spent.get(currency)?,
            currency: currency.clone(),
        })
    }
}

impl FromIterator<(String, Price)> for Prices {
    fn from_iter<Priced: IntoIterator<Item = (String, Price)>>(prices: Priced) -> Self {
        Self(prices.into_iter().collect())
    }
}

impl Price {
    fn of(&self, usage: Usage) -> f64 {
        let cached = usage.cached_tokens.min(usage.prompt_tokens);
        let sent = (usage.prompt_tokens - cached).saturating_add(usage.tool_tokens);
        let said = usage.answer_tokens.saturating_add(usage.thought_tokens);
        let paid = sent as f64 * self.input
            + cached as f64 * self.cached_input.unwrap_or(self.input)
            + said as f64 * self.output;
        paid / PER
    }
}

/// Adds up what a session and its turn cost. Clones share the sums.
#[derive(Clone, Debug, Default)]
pub(crate) struct Meter {
    prices: Arc<Prices>,
    sums: Arc<Mutex<Sums>>,
}

#[derive(Debug, Default)]
struct Sums {
    turn: Spent,
    session: Spent,
}

impl Meter {
    /// `before` is what the session has cost in earlier days.
    pub(crate) fn new(prices: Prices, before: Spent) -> Self {
        Self {
            prices: Arc::new(prices),
            sums: Arc::new(Mutex::new(Sums {
                turn: Spent::new(),
                session: before,
            })),
        }
    }

    pub(crate) fn begin_turn(&self) {
        self.with(|sums| sums.turn.clear());
    }

    /// What it comes to, in the currency of this model. Nothing where nobody knows what the model costs.
    pub(crate) fn add(&self, model: &str, usage: Usage) -> Option<Cost> {
        let price = self.prices.of(model)?;
        let paid = price.of(usage);
        Some(self.with(|sums| {
            let now = |sum: &mut Spent| {
                let sum = sum.entry(price.currency.clone()).or_default();
                *sum += paid;
                *sum
            };
            Cost {
                turn: now(&mut sums.turn),
                session: now(&mut sums.session),
                currency: price.currency.clone(),
            }
        }))
    }

    /// What the session has cost, if this turn has added to it.
    pub(crate) fn spent_in_turn(&self) -> Option<Spent> {
        self.with(|sums| (!sums.turn.is_empty()).then(|| sums.session.clone()))
    }

    fn with<T>(&self, look: impl FnOnce(&mut Sums) -> T) -> T {
        look(&mut self.sums.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests;
