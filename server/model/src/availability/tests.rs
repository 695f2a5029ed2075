use super::*;

const PRO: &str = "pro";
const FLASH: &str = "flash";

fn chosen(availability: &mut Availability, now: Instant) -> (Option<String>, Option<u32>) {
    let selection = availability.select_first_available([PRO, FLASH], now);
    (selection.model, selection.attempts)
}

fn model(name: &str) -> Option<String> {
    Some(name.to_owned())
}

#[test]
fn the_first_healthy_model_is_chosen() {
    let mut availability = Availability::default();
    let now = Instant::now();
    assert_eq!(chosen(&mut availability, now), (model(PRO), None));
}

#[test]
fn an_exhausted_quota_lasts_and_is_reported() {
    let mut availability = Availability::default();
    let now = Instant::now();
    availability.mark_terminal(PRO, TerminalReason::Quota, now);
    let much_later = now + Duration::from_secs(100_000);
    let selection = availability.select_first_available([PRO, FLASH], much_later);
    let status = ModelStatus::Terminal {
        reason: TerminalReason::Quota,
        until: None,
    };
    let skipped = vec![Skipped {
        model: PRO.to_owned(),
        status,
    }];
    let expected = Selection {
        model: model(FLASH),
        attempts: None,
        skipped,
    };
    assert_eq!(selection, expected);
    availability.reset_turn();
    assert_eq!(chosen(&mut availability, much_later).0, model(FLASH));
}

#[test]
fn missing_capacity_expires_after_thirty_seconds() {
    let mut availability = Availability::default();
    let now = Instant::now();
    availability.mark_terminal(PRO, TerminalReason::Capacity, now);
    let just_before = now + Duration::from_millis(29_999);
    assert_eq!(chosen(&mut availability, just_before).0, model(FLASH));
    let after = now + Duration::from_secs(30);
    assert_eq!(chosen(&mut availability, after), (model(PRO), None));
}

#[test]
fn a_transient_failure_costs_the_turn_and_the_next_turn_tries_once() {
    let mut availability = Availability::default();
    let now = Instant::now();
    availability.mark_sticky_retry(PRO, now);
    assert_eq!(availability.status(PRO, now), ModelStatus::NextTurn);
    assert_eq!(chosen(&mut availability, now), (model(FLASH), None));
    availability.reset_turn();
    assert_eq!(availability.status(PRO, now), ModelStatus::OneTry);
    assert_eq!(chosen(&mut availability, now), (model(PRO), Some(1)));
    assert_eq!(chosen(&mut availability, now), (model(FLASH), None));
    availability.reset_turn();
    assert_eq!(chosen(&mut availability, now), (model(PRO), Some(1)));
    availability.mark_healthy(PRO);
    assert_eq!(chosen(&mut availability, now), (model(PRO), None));
}

#[test]
fn a_transient_failure_does_not_soften_a_terminal_one() {
    let mut availability = Availability::default();
    let now = Instant::now();
    availability.mark_terminal(PRO, TerminalReason::Quota, now);
    availability.mark_sticky_retry(PRO, now);
    availability.reset_turn();
    assert_eq!(chosen(&mut availability, now).0, model(FLASH));
}

#[test]
fn with_nothing_available_nothing_is_chosen() {
    let mut availability = Availability::default();
    let now = Instant::now();
    availability.mark_terminal(PRO, TerminalReason::Quota, now);
    availability.mark_sticky_retry(FLASH, now);
    let selection = availability.select_first_available([PRO, FLASH], now);
    assert_eq!(selection.model, None);
    assert_eq!(selection.skipped.len(), 2);
}
