//! Whose the hunks of a state are, as the record keeps it beside the texts.

use std::ops::Range;

use pollux_agent::api::TurnId;
use serde_json::{Value, json};

use crate::Origin;
use crate::reviews::tally::ByTurn;

/// Stretches of the current text, in bytes and in order, with the turn that has changed them.
pub(in crate::reviews) type Whose = Vec<(Range<usize>, Origin)>;

/// Each turn once, and the stretches only where there is more than one turn.
pub(super) fn to_value(whose: &Whose) -> Value {
    let mut turns: Vec<&Origin> = Vec::new();
    let mut places = Vec::new();
    for (range, origin) in whose {
        let known = turns.iter().position(|turn| *turn == origin);
        let turn = known.unwrap_or_else(|| {
            turns.push(origin);
            turns.len() - 1
        });
        places.push((range.start, range.end, turn));
    }
    if turns.len() < 2 {
        places.clear();
    }
    let turns: Vec<(&str, u64)> = turns
        .iter()
        .map(|origin| (origin.session.as_str(), origin.turn.0))
        .collect();
    match turns.is_empty() {
        true => Value::Null,
        false => json!({ "turns": turns, "places": places }),
    }
}

/// What cannot be made sense of is left out: hunks have an origin, known or not.
pub(super) fn from_value(value: Option<&Value>) -> Whose {
    let list = |name: &str| value.and_then(|value| value.get(name)?.as_array());
    let turns: Vec<Option<Origin>> = list("turns")
        .into_iter()
        .flatten()
        .map(|turn| {
            Some(Origin {
                session: turn.get(0)?.as_str()?.into(),
                turn: TurnId(turn.get(1)?.as_u64()?),
            })
        })
        .collect();
    if let [Some(turn)] = turns.as_slice() {
        return vec![(0..usize::MAX, turn.clone())];
    }
    let number = |value: Option<&Value>| usize::try_from(value?.as_u64()?).ok();
    let places = list("places").into_iter().flatten();
    places
        .filter_map(|place| {
            let range = number(place.get(0))?..number(place.get(1))?;
            let turn = turns.get(number(place.get(2))?)?.clone()?;
            Some((range, turn))
        })
        .collect()
}

/// How many hunks of which turn are kept and rejected.
pub(super) fn decided_to_value(decided: &ByTurn) -> Value {
    let turns = decided
        .iter()
        .map(|(origin, kept, rejected)| (origin.session.as_str(), origin.turn.0, *kept, *rejected));
    match decided.is_empty() {
        true => Value::Null,
        false => json!(turns.collect::<Vec<_>>()),
    }
}

pub(super) fn decided_from_value(value: Option<&Value>) -> ByTurn {
    let turns = value.and_then(Value::as_array).into_iter().flatten();
    turns
        .filter_map(|turn| {
            let origin = Origin {
                session: turn.get(0)?.as_str()?.into(),
                turn: TurnId(turn.get(1)?.as_u64()?),
            };
            Some((origin, turn.get(2)?.as_i64()?, turn.get(3)?.as_i64()?))
        })
        .collect()
}
