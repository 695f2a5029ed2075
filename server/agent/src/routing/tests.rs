use pollux_model::{Demo, Model, Pace};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::OneVoice;
use crate::mode::SharedMode;
use crate::turn::Events;

/// What the mode has to say after these changes of it, by a tool or by the person.
fn size_after(changes: &[(ApprovalMode, bool)]) -> Option<Size> {
    let mode = SharedMode::new(ApprovalMode::Default);
    for (next, by_tool) in changes {
        match by_tool {
            true => mode.set_by_tool(*next),
            false => mode.set(*next),
        };
    }
    let voices = OneVoice::shared(Model::Demo(Demo::new(Pace::Instant)));
    let cancel = CancellationToken::new();
    let events = Events::new(mpsc::channel(1).0, cancel.clone());
    let router = Router {
        utility: Utility {
            voices: &*voices,
            events: &events,
            cancel: &cancel,
        },
        options: Routing::default(),
        availability: &Availability::default(),
        mode: mode.get(),
        plan: mode.plan(),
        history: &[],
    };
    router.by_mode()
}

#[test]
fn a_plan_is_made_by_the_large_model_and_carried_out_by_the_small_one() {
    let plan = (ApprovalMode::Plan, false);
    assert_eq!(size_after(&[]), None);
    assert_eq!(size_after(&[plan]), Some(Size::Pro));
    assert_eq!(
        size_after(&[plan, (ApprovalMode::Default, true)]),
        Some(Size::Flash)
    );
    assert_eq!(
        size_after(&[plan, (ApprovalMode::Default, false)]),
        None,
        "whoever leaves the mode by hand has approved nothing"
    );
}
