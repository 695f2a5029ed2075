/// A step that the model has set itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Todo {
    pub description: String,
    pub status: TodoStatus,
}

/// How far a step is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TodoStatus {
    Pending,
    InProgress,
    Completed,
    Cancelled,
    Blocked,
}

impl TodoStatus {
    pub const ALL: [Self; 5] = [
        Self::Pending,
        Self::InProgress,
        Self::Completed,
        Self::Cancelled,
        Self::Blocked,
    ];

    /// The name that models use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::InProgress => "in_progress",
            Self::Completed => "completed",
            Self::Cancelled => "cancelled",
            Self::Blocked => "blocked",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }
}

/// What the model says it works on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Topic {
    /// A few words; stays when only the intent changes.
    pub title: Option<String>,
    pub summary: Option<String>,
    /// What comes next, in a sentence.
    pub intent: String,
}
