//! Timestamps, as the recorded sessions have them.

use std::time::SystemTime;

/// Tells the time. Tests have one that stands still.
#[derive(Clone, Copy, Debug)]
pub(super) enum Clock {
    System,
    #[cfg(test)]
    At(SystemTime),
}

impl Clock {
    pub(super) fn timestamp(self) -> String {
        pollux_sessions::iso(match self {
            Self::System => SystemTime::now(),
            #[cfg(test)]
            Self::At(time) => time,
        })
    }
}
