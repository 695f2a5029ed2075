use expect_test::{Expect, expect};

use super::*;
use crate::ReplyFlaw;

fn server_error() -> ModelError {
    ModelError::of_status(500, "oops".into())
}

fn asks_for(seconds: u64) -> ModelError {
    ModelError::RateLimited {
        status: 429,
        delay: Some(Duration::from_secs(seconds)),
        message: "slow".into(),
    }
}

fn no_capacity() -> ModelError {
    ModelError::QuotaExhausted {
        cause: QuotaCause::Capacity,
        resets_in: None,
        message: "full".into(),
    }
}

/// The pauses after these errors.
fn check(policy: RetryPolicy, errors: &[ModelError], expected: Expect) {
    let mut backoff = Backoff::new(&policy);
    let pauses = errors.iter().map(|error| match backoff.after(error) {
        Some(retry) => format!("{}/{} {:?}", retry.attempt, retry.attempts, retry.delay),
        None => "gives up".to_owned(),
    });
    expected.assert_eq(&pauses.collect::<Vec<_>>().join(", "));
}

fn with_jitter(unit: f64) -> RetryPolicy {
    RetryPolicy {
        jitter: Jitter::fixed(unit),
        ..RetryPolicy::default()
    }
}

#[test]
fn pauses_double_up_to_a_limit() {
    let errors = vec![server_error(); 11];
    check(
        with_jitter(0.5),
        &errors,
        expect![
            "1/10 5s, 2/10 10s, 3/10 20s, 4/10 30s, 5/10 30s, 6/10 30s, 7/10 30s, 8/10 30s, 9/10 30s, gives up, gives up"
        ],
    );
}

#[test]
fn jitter_is_thirty_percent_either_way() {
    check(
        with_jitter(0.0),
        &[server_error(), server_error()],
        expect!["1/10 3.5s, 2/10 7s"],
    );
    check(
        with_jitter(1.0),
        &[server_error(), server_error()],
        expect!["1/10 6.5s, 2/10 13s"],
    );
}

#[test]
fn the_servers_delay_is_a_minimum_and_only_grows() {
    check(
        with_jitter(0.0),
        &[asks_for(10), asks_for(1), asks_for(100), server_error()],
        expect!["1/10 10s, 2/10 20s, 3/10 100s, 4/10 21s"],
    );
    check(
        with_jitter(1.0),
        &[asks_for(10), asks_for(1)],
        expect!["1/10 12s, 2/10 24s"],
    );
}

#[test]
fn fetch_errors_follow_the_setting() {
    let errors = [ModelError::bad_reply(ReplyFlaw::InvalidJson, "cut")];
    check(with_jitter(0.5), &errors, expect!["1/10 5s"]);
    check(
        RetryPolicy {
            fetch_errors: FetchErrors::Fail,
            ..with_jitter(0.5)
        },
        &errors,
        expect!["gives up"],
    );
}

#[test]
fn a_model_without_room_follows_the_policy() {
    let errors = vec![no_capacity(); 3];
    check(
        with_jitter(0.5),
        &errors,
        expect!["1/10 5s, 2/10 10s, 3/10 20s"],
    );
    check(
        RetryPolicy {
            capacity: OnCapacity::TryTwiceMore,
            ..with_jitter(0.5)
        },
        &errors,
        expect!["1/10 1s, 2/10 3s, gives up"],
    );
    check(
        RetryPolicy {
            capacity: OnCapacity::Fail,
            ..with_jitter(0.5)
        },
        &errors,
        expect!["gives up, gives up, gives up"],
    );
}

#[test]
fn what_cannot_succeed_is_given_up() {
    check(
        with_jitter(0.5),
        &[ModelError::of_status(400, "bad".into())],
        expect!["gives up"],
    );
    check(
        with_jitter(0.5).with_attempts(1),
        &[server_error()],
        expect!["gives up"],
    );
    check(
        with_jitter(0.5).with_attempts(0),
        &[server_error()],
        expect!["gives up"],
    );
}

#[test]
fn absurd_delays_do_not_panic() {
    let policy = RetryPolicy {
        initial_delay: Duration::MAX,
        longest_delay: Duration::MAX,
        ..with_jitter(1.0)
    };
    let mut backoff = Backoff::new(&policy);
    assert_eq!(
        backoff.after(&server_error()).map(|retry| retry.delay),
        Some(Duration::MAX)
    );
}

#[test]
fn random_jitter_stays_in_its_range_and_varies() {
    let jitter = Jitter::random();
    let units: Vec<f64> = (0..100).map(|_| jitter.unit()).collect();
    assert!(units.iter().all(|unit| (0.0..=1.0).contains(unit)));
    assert!(units.iter().any(|unit| *unit < 0.5) && units.iter().any(|unit| *unit > 0.5));
}
