use serde::Serialize;

use crate::Trust;

/// How much the agent may do without asking. Ordered from the strictest to the freest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum ApprovalMode {
    /// Read and plan, change nothing.
    Plan,
    #[default]
    Default,
    /// Edits are made without asking; everything else is as in [`ApprovalMode::Default`].
    AutoEdit,
    Yolo,
}

impl ApprovalMode {
    pub const ALL: [Self; 4] = [Self::Plan, Self::Default, Self::AutoEdit, Self::Yolo];

    /// As rule files spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Plan => "plan",
            Self::Default => "default",
            Self::AutoEdit => "autoEdit",
            Self::Yolo => "yolo",
        }
    }

    /// Takes the spelling of rule files and that of settings and arguments (`auto_edit`).
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "auto_edit" => Some(Self::AutoEdit),
            text => Self::ALL.into_iter().find(|mode| mode.as_str() == text),
        }
    }

    /// This mode and every freer one: where an approval that was given in this mode holds.
    pub fn and_freer(self) -> Vec<Self> {
        Self::ALL.into_iter().filter(|mode| *mode >= self).collect()
    }

    /// Whether a workspace of this trust may be in the mode at all.
    pub fn suits(self, trust: Trust) -> bool {
        match trust {
            Trust::Trusted => true,
            Trust::Untrusted => matches!(self, Self::Plan | Self::Default),
        }
    }
}
