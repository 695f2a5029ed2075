use std::time::Duration;

use expect_test::expect;

use super::{Times, megabytes, microseconds, milliseconds, ratio};

fn times(milliseconds: impl IntoIterator<Item = u64>) -> Times {
    let mut times = Times::default();
    for time in milliseconds {
        times.add(Duration::from_millis(time));
    }
    times
}

#[test]
fn median_and_p95_do_not_depend_on_the_order() {
    let times = times((1..=20).rev());
    assert_eq!(times.least(), Duration::from_millis(1));
    assert_eq!(times.median(), Duration::from_millis(10));
    assert_eq!(times.p95(), Duration::from_millis(19));
    assert_eq!(times.p99(), Duration::from_millis(20));
}

#[test]
fn one_measurement_is_its_own_median() {
    assert_eq!(times([7]).median(), Duration::from_millis(7));
    assert_eq!(times([7]).p95(), Duration::from_millis(7));
    assert_eq!(times([]).median(), Duration::ZERO);
}

#[test]
fn figures_carry_their_unit() {
    let time = Duration::from_micros(1234);
    expect!["1.23 ms, 1234.00 µs, 15.00 MB, 2.0"].assert_eq(&format!(
        "{}, {}, {}, {:.1}",
        milliseconds(time),
        microseconds(time),
        megabytes(15_000_000),
        ratio(time * 2, time)
    ));
}
