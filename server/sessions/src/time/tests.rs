use super::*;

fn at(seconds: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(seconds)
}

#[test]
fn times_are_written_as_the_twin_writes_them_and_read_back() {
    let time = UNIX_EPOCH + Duration::from_millis(1_767_323_045_678);
    assert_eq!(iso(time), "2026-01-02T03:04:05.678Z");
    assert_eq!(parse_iso("2026-01-02T03:04:05.678Z"), Some(time));
    assert_eq!(file_stamp(time), "2026-01-02T03-04");
    assert_eq!(parse_iso("yesterday"), None);
}

#[test]
fn a_clock_that_is_off_writes_a_time_all_the_same() {
    let never = UNIX_EPOCH + Duration::from_secs(1 << 50);
    assert_eq!(iso(never), "1970-01-01T00:00:00.000Z");
    assert_eq!(iso(UNIX_EPOCH - Duration::from_secs(1)).len(), 24);
}

#[test]
fn relative_times_in_both_styles() {
    const DAY: u64 = 86_400;
    for (age, long, short) in [
        (0, "Just now", "now"),
        (5, "Just now", "5s"),
        (60, "1 minute ago", "1m"),
        (7_200, "2 hours ago", "2h"),
        (DAY, "1 day ago", "1d"),
        (65 * DAY, "65 days ago", "2mo"),
        (400 * DAY, "400 days ago", "1y"),
    ] {
        let now = at(1_000 * DAY);
        let then = at(1_000 * DAY - age);
        assert_eq!(relative_time(then, now, TimeStyle::Long), long);
        assert_eq!(relative_time(then, now, TimeStyle::Short), short);
    }
    assert_eq!(relative_time(at(9), at(5), TimeStyle::Long), "Just now");
}
