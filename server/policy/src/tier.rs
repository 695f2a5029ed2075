use std::fmt;

use serde::{Serialize, Serializer};

/// Who wrote a rule. A rule of a higher tier beats every rule of a lower one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Tier {
    /// Shipped with Pollux.
    Default,
    Extension,
    /// The repository. Also what a person approved for a session or a workspace.
    Workspace,
    User,
    Admin,
}

impl Tier {
    fn number(self) -> u32 {
        match self {
            Self::Default => 1,
            Self::Extension => 2,
            Self::Workspace => 3,
            Self::User => 4,
            Self::Admin => 5,
        }
    }
}

/// A tier and a priority within it, in thousandths: user rules of priority 100 have 4100.
///
/// An integer, because 4.3 and 4.29 are not what floating point makes of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rank(u32);

impl Rank {
    pub const MAX_PRIORITY: u32 = 999;
    /// The priority of rules that come from "always allow".
    pub const APPROVED: u32 = 950;

    /// A priority above the maximum counts as the maximum, so that it cannot reach the next tier.
    pub fn new(tier: Tier, priority: u32) -> Self {
        Self(tier.number() * 1000 + priority.min(Self::MAX_PRIORITY))
    }

    pub fn priority(self) -> u32 {
        self.0 % 1000
    }
}

impl fmt::Display for Rank {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}.{:03}", self.0 / 1000, self.0 % 1000)
    }
}

impl Serialize for Rank {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
