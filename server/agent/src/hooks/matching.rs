use fancy_regex::Regex;

use super::settings::{Group, Hook, HookEvent, HookSettings, Order};

/// Which occasions of an event a group is for.
#[derive(Clone, Debug)]
pub(super) enum Matcher {
    Any,
    /// Found anywhere in the name of the tool. Written for JavaScript, so it may look ahead and behind.
    Pattern(Box<Regex>),
    Exactly(String),
}

impl Matcher {
    pub(super) fn read(event: HookEvent, text: &str) -> Self {
        if text.is_empty() || text == "*" {
            return Self::Any;
        }
        match event {
            HookEvent::BeforeTool | HookEvent::AfterTool => Regex::new(text).map_or_else(
                |_| Self::Exactly(text.to_owned()),
                |regex| Self::Pattern(Box::new(regex)),
            ),
            HookEvent::SessionStart | HookEvent::SessionEnd | HookEvent::PreCompress => {
                Self::Exactly(text.to_owned())
            }
            HookEvent::BeforeAgent
            | HookEvent::AfterAgent
            | HookEvent::BeforeModel
            | HookEvent::AfterModel
            | HookEvent::BeforeToolSelection
            | HookEvent::Notification => Self::Any,
        }
    }

    fn admits(&self, occasion: &str) -> bool {
        match self {
            Self::Any => true,
            // A pattern that gives up may be there to forbid something.
            Self::Pattern(regex) => regex.is_match(occasion).unwrap_or(true),
            Self::Exactly(text) => text == occasion,
        }
    }
}

/// What is run on an occasion.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Plan<'a> {
    pub(super) hooks: Vec<&'a Hook>,
    pub(super) order: Order,
}

/// The hooks that an occasion concerns, each of them once. One group that wants an order gives it to all.
pub(super) fn plan<'a>(
    settings: &'a HookSettings,
    event: HookEvent,
    occasion: &str,
) -> Option<Plan<'a>> {
    let groups: Vec<&Group> = settings
        .groups(event)
        .filter(|group| group.matcher.admits(occasion))
        .collect();
    let mut hooks: Vec<&Hook> = Vec::new();
    for hook in groups.iter().flat_map(|group| &group.hooks) {
        if !hooks.iter().any(|planned| planned.key() == hook.key()) {
            hooks.push(hook);
        }
    }
    let orders = groups.iter().any(|group| group.order == Order::OneByOne);
    (!hooks.is_empty()).then_some(Plan {
        hooks,
        order: match orders {
            true => Order::OneByOne,
            false => Order::Together,
        },
    })
}
