//! The chains: previews, stable models, flash-lite, and a single model.

use super::{Action, Chain, ChainMode, NextState, PerKind, Policy, Rank, Wrap};
use crate::config::{
    FLASH_LITE, Family, PREVIEW_FLASH, PREVIEW_PRO, Previews, STABLE_FLASH, STABLE_PRO,
    concrete_model, family, is_auto,
};

/// With another model behind it, pro is not worth a minute of retries.
const ATTEMPTS_OF_AUTO_PRO: u32 = 3;
/// Behind the last resort there is nothing, so it is tried longer.
const ATTEMPTS_OF_LAST_RESORT: u32 = 10;

impl Chain {
    /// The chain for a session whose person asked for `requested` and which now talks to `active`.
    pub fn new(requested: &str, active: &str, previews: Previews, mode: ChainMode) -> Self {
        let active = concrete_model(active, previews);
        // With a name such as `auto-gemini-2.5` the name decides, not the model that its chain has come to.
        let is_gemini_3 = |model| family(model) == Family::Gemini3;
        let wanted_gemini_3 = is_gemini_3(concrete_model(requested, Previews::Allowed))
            || !is_auto(requested) && is_gemini_3(active);
        let (mut policies, wrap) = if active == FLASH_LITE || is_flash_lite(requested) {
            (flash_lite(), Wrap::Never)
        } else if is_auto(requested) || wanted_gemini_3 {
            let policies = match previews {
                Previews::Allowed if wanted_gemini_3 => preview(requested),
                Previews::Allowed | Previews::Denied => stable(),
            };
            (policies, Wrap::Around)
        } else {
            (Vec::new(), Wrap::Never)
        };
        if mode == ChainMode::Plan {
            for policy in &mut policies {
                policy.actions = PerKind::all(Action::Silent);
            }
        }
        Self::starting_at(active, policies, wrap, mode)
    }

    /// Cuts what comes before the active model, or moves it to the end. A model that is in no chain was chosen by
    /// the person and is not replaced by another.
    fn starting_at(active: &str, mut policies: Vec<Policy>, wrap: Wrap, mode: ChainMode) -> Self {
        let place = policies.iter().position(|policy| policy.model == active);
        let mut rest = place
            .map(|place| policies.split_off(place))
            .unwrap_or_default();
        if rest.is_empty() {
            let mut only = Policy::new(active, Rank::LastResort);
            if mode == ChainMode::Plan {
                only.actions = PerKind::all(Action::Silent);
            }
            return Self {
                first: only,
                others: Vec::new(),
                wrap: Wrap::Never,
            };
        }
        let first = rest.remove(0);
        if wrap == Wrap::Around {
            rest.append(&mut policies);
        }
        Self {
            first,
            others: rest,
            wrap,
        }
    }
}

fn is_flash_lite(name: &str) -> bool {
    concrete_model(name, Previews::Denied) == FLASH_LITE
}

fn preview(requested: &str) -> Vec<Policy> {
    let mut pro = Policy::new(PREVIEW_PRO, Rank::Preferred);
    if is_auto(requested) {
        // The person left the choice to us: a busy pro is replaced for this turn without a question.
        pro.attempts = Some(ATTEMPTS_OF_AUTO_PRO);
        pro.actions.transient = Action::Silent;
        pro.states.transient = NextState::StickyRetry;
    }
    vec![pro, last_resort(PREVIEW_FLASH)]
}

fn stable() -> Vec<Policy> {
    vec![
        Policy::new(STABLE_PRO, Rank::Preferred),
        last_resort(STABLE_FLASH),
    ]
}

/// All silent: whoever asks for the smallest model does not mind which one answers.
fn flash_lite() -> Vec<Policy> {
    let silent = |model, rank| Policy {
        actions: PerKind::all(Action::Silent),
        ..Policy::new(model, rank)
    };
    vec![
        silent(FLASH_LITE, Rank::Preferred),
        silent(STABLE_FLASH, Rank::Preferred),
        silent(STABLE_PRO, Rank::LastResort),
    ]
}

fn last_resort(model: &str) -> Policy {
    Policy {
        attempts: Some(ATTEMPTS_OF_LAST_RESORT),
        ..Policy::new(model, Rank::LastResort)
    }
}

impl Policy {
    fn new(model: &str, rank: Rank) -> Self {
        Self {
            model: model.to_owned(),
            rank,
            attempts: None,
            actions: PerKind::all(Action::Prompt),
            states: PerKind::all(NextState::Terminal),
        }
    }
}
