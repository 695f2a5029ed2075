use std::time::Duration;

use expect_test::{Expect, expect};

use super::*;
use crate::{Availability, Previews};

const KINDS: [FailureKind; 4] = [
    FailureKind::Terminal,
    FailureKind::Transient,
    FailureKind::NotFound,
    FailureKind::Unknown,
];

fn chain(requested: &str, active: &str, previews: Previews) -> Chain {
    Chain::new(requested, active, previews, ChainMode::Normal)
}

fn check(requested: &str, active: &str, previews: Previews, expect: Expect) {
    let mut lines = String::new();
    for policy in chain(requested, active, previews).policies() {
        lines.push_str(&format!("{} {:?}", policy.model, policy.rank));
        if let Some(attempts) = policy.attempts {
            lines.push_str(&format!(" {attempts}×"));
        }
        for kind in KINDS {
            let (action, state) = (policy.action(kind), policy.state(kind));
            if (action, state) != (Action::Prompt, NextState::Terminal) {
                lines.push_str(&format!(" {kind:?}:{action:?}/{state:?}"));
            }
        }
        lines.push('\n');
    }
    expect.assert_eq(&lines);
}

#[test]
fn auto_with_previews_goes_from_pro_to_flash() {
    let expected = expect![[r#"
        gemini-3-pro-preview Preferred 3× Transient:Silent/StickyRetry
        gemini-3-flash-preview LastResort 10×
    "#]];
    check("auto", "gemini-3-pro-preview", Previews::Allowed, expected);
}

#[test]
fn auto_with_flash_active_wraps_around_to_pro() {
    let expected = expect![[r#"
        gemini-3-flash-preview LastResort 10×
        gemini-3-pro-preview Preferred 3× Transient:Silent/StickyRetry
    "#]];
    check(
        "auto",
        "gemini-3-flash-preview",
        Previews::Allowed,
        expected,
    );
}

#[test]
fn a_requested_gemini_3_model_asks_before_it_is_replaced() {
    let expected = expect![[r#"
        gemini-3-pro-preview Preferred
        gemini-3-flash-preview LastResort 10×
    "#]];
    check("pro", "gemini-3-pro-preview", Previews::Allowed, expected);
}

#[test]
fn without_previews_the_stable_chain_is_used() {
    for requested in ["auto", "auto-gemini-2.5", "gemini-3-pro-preview"] {
        let expected = expect![[r#"
            gemini-2.5-pro Preferred
            gemini-3.5-flash LastResort 10×
        "#]];
        check(requested, requested, Previews::Denied, expected);
    }
}

#[test]
fn auto_of_the_second_generation_is_stable_with_previews_too() {
    let expected = expect![[r#"
        gemini-2.5-pro Preferred
        gemini-3.5-flash LastResort 10×
    "#]];
    check(
        "auto-gemini-2.5",
        "auto-gemini-2.5",
        Previews::Allowed,
        expected,
    );
    let expected = expect![[r#"
        gemini-3.5-flash LastResort 10×
        gemini-2.5-pro Preferred
    "#]];
    check(
        "auto-gemini-2.5",
        "gemini-3.5-flash",
        Previews::Allowed,
        expected,
    );
}

#[test]
fn flash_lite_climbs_silently_and_does_not_wrap() {
    let expected = expect![[r#"
        gemini-3.1-flash-lite Preferred Terminal:Silent/Terminal Transient:Silent/Terminal NotFound:Silent/Terminal Unknown:Silent/Terminal
        gemini-3.5-flash Preferred Terminal:Silent/Terminal Transient:Silent/Terminal NotFound:Silent/Terminal Unknown:Silent/Terminal
        gemini-2.5-pro LastResort Terminal:Silent/Terminal Transient:Silent/Terminal NotFound:Silent/Terminal Unknown:Silent/Terminal
    "#]];
    check("flash-lite", "flash-lite", Previews::Allowed, expected);
    let expected = expect![[r#"
        gemini-2.5-pro LastResort Terminal:Silent/Terminal Transient:Silent/Terminal NotFound:Silent/Terminal Unknown:Silent/Terminal
    "#]];
    check("flash-lite", "gemini-2.5-pro", Previews::Allowed, expected);
}

#[test]
fn any_other_model_is_alone() {
    for model in ["gemini-2.5-pro", "llama3", "gemini-3.5-flash"] {
        let models: Vec<_> = chain(model, model, Previews::Allowed)
            .policies()
            .map(|policy| (policy.model.clone(), policy.rank))
            .collect();
        assert_eq!(models, [(model.to_owned(), Rank::LastResort)]);
    }
}

#[test]
fn plan_mode_never_asks() {
    for model in ["pro", "auto", "gemini-2.5-pro", "llama3"] {
        let chain = Chain::new(model, model, Previews::Allowed, ChainMode::Plan);
        for policy in chain.policies() {
            for kind in KINDS {
                assert_eq!(policy.action(kind), Action::Silent);
            }
        }
    }
}

#[test]
fn a_busy_pro_is_replaced_for_the_turn_and_tried_again_in_the_next() {
    let now = Instant::now();
    let mut availability = Availability::default();
    let chain = chain("auto", "auto", Previews::Allowed);
    let first = chain.select(&mut availability, now);
    assert_eq!(first.model.as_deref(), Some("gemini-3-pro-preview"));
    assert_eq!(first.attempts, Some(3));

    let failure = Failure::new(FailureKind::Transient);
    let fallback = chain.on_failure("gemini-3-pro-preview", failure, &availability, now);
    let expected = Fallback {
        failed: "gemini-3-pro-preview".to_owned(),
        failure,
        action: Action::Silent,
        next: Some("gemini-3-flash-preview".to_owned()),
        attempts: Some(10),
        state: NextState::StickyRetry,
        avoided_until: AvoidedUntil::NextTurn,
    };
    assert_eq!(fallback, expected);
    fallback.apply(&mut availability, now);
    let same_turn = chain.select(&mut availability, now);
    assert_eq!(same_turn.model.as_deref(), Some("gemini-3-flash-preview"));
    assert_eq!(same_turn.skipped.len(), 1);

    availability.reset_turn();
    let next_turn = chain.select(&mut availability, now);
    assert_eq!(next_turn.model.as_deref(), Some("gemini-3-pro-preview"));
    assert_eq!(next_turn.attempts, Some(1));
}

#[test]
fn how_long_a_model_is_avoided_follows_from_the_failure() {
    let now = Instant::now();
    let availability = Availability::default();
    let chain = chain("pro", "pro", Previews::Allowed);
    let soon = AvoidedUntil::Time(now + Duration::from_secs(30));
    let cases = [
        (
            Failure::new(FailureKind::Terminal),
            AvoidedUntil::SessionEnd,
        ),
        (Failure::capacity(), soon),
        (Failure::new(FailureKind::Transient), soon),
        (Failure::new(FailureKind::Unknown), soon),
        (
            Failure::new(FailureKind::NotFound),
            AvoidedUntil::SessionEnd,
        ),
    ];
    for (failure, expected) in cases {
        let fallback = chain.on_failure("gemini-3-pro-preview", failure, &availability, now);
        assert_eq!(fallback.avoided_until, expected, "{failure:?}");
        assert_eq!(fallback.action, Action::Prompt);
        let mut after = availability.clone();
        fallback.apply(&mut after, now);
        let selection = chain.select(&mut after, now);
        assert_eq!(selection.model.as_deref(), Some("gemini-3-flash-preview"));
    }
}

#[test]
fn deciding_changes_nothing_until_it_is_applied() {
    let now = Instant::now();
    let mut availability = Availability::default();
    let chain = chain("pro", "pro", Previews::Allowed);
    let failure = Failure::new(FailureKind::Terminal);
    let _declined = chain.on_failure("gemini-3-pro-preview", failure, &availability, now);
    let selection = chain.select(&mut availability, now);
    assert_eq!(selection.model.as_deref(), Some("gemini-3-pro-preview"));
}

#[test]
fn with_everything_unavailable_the_last_resort_is_asked() {
    let now = Instant::now();
    let mut availability = Availability::default();
    let chain = chain("auto", "auto", Previews::Denied);
    for model in ["gemini-2.5-pro", "gemini-3.5-flash"] {
        availability.mark_terminal(model, TerminalReason::Quota, now);
    }
    let selection = chain.select(&mut availability, now);
    assert_eq!(selection.model.as_deref(), Some("gemini-3.5-flash"));
    assert_eq!(selection.attempts, Some(10));
    let failure = Failure::new(FailureKind::Terminal);
    let fallback = chain.on_failure("gemini-3.5-flash", failure, &availability, now);
    assert_eq!(fallback.next, None);
}

#[test]
fn a_model_alone_has_no_successor() {
    let now = Instant::now();
    let chain = chain("llama3", "llama3", Previews::Allowed);
    let failure = Failure::new(FailureKind::Transient);
    let fallback = chain.on_failure("llama3", failure, &Availability::default(), now);
    assert_eq!(fallback.next, None);
    assert_eq!(fallback.action, Action::Prompt);
}
