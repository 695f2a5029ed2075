use std::time::{SystemTime, UNIX_EPOCH};

/// The time of day, for doors that cannot count down: `14:05:09 UTC`.
pub fn utc_time(at: SystemTime) -> String {
    let seconds = at.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let (hours, minutes) = (seconds / 3_600 % 24, seconds / 60 % 60);
    format!("{hours:02}:{minutes:02}:{:02} UTC", seconds % 60)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::utc_time;

    #[test]
    fn the_time_of_day_is_read_off_the_clock() {
        let at = |seconds| utc_time(UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(at(0), "00:00:00 UTC");
        assert_eq!(at(1_763_474_709), "14:05:09 UTC");
    }
}
