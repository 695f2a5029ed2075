use tokio::sync::oneshot;

use super::*;
use crate::reviews::testing::MemoryDisk;
use crate::{Configuration, DoorContext};

struct NoSettings;

impl ConfigurationSource for NoSettings {
    fn load(&self, _: &[std::path::PathBuf], _: &DoorContext, _: Option<bool>) -> Configuration {
        Configuration::default()
    }
}

#[tokio::test]
async fn a_room_ends_with_its_last_inbox() {
    let inbox = open(Arc::new(NoSettings), MemoryDisk::empty(), None);
    let (reply, answer) = oneshot::channel();
    // Never answered: no change will come.
    inbox.post(Input::Snapshot {
        after: Some(crate::Revision(u64::MAX)),
        reply,
    });
    drop(inbox);
    answer.await.unwrap_err();
}

#[tokio::test]
async fn a_place_is_free_again_once_the_message_was_handled() {
    let places = Arc::new(tokio::sync::Semaphore::new(1));
    let inbox = open(Arc::new(NoSettings), MemoryDisk::empty(), None);
    for _ in 0..3 {
        let place = Arc::clone(&places).acquire_owned().await.unwrap();
        inbox.post_in(place, Input::RootsChanged(Arc::from([])));
    }
    drop(places.acquire().await.unwrap());
}

#[test]
fn polls_that_were_given_up_are_not_kept_whatever_they_waited_for() {
    let (inbox, _receiver) = Inbox::new();
    let mut state = RoomState::new(
        Arc::new(NoSettings),
        MemoryDisk::empty(),
        None,
        inbox.downgrade(),
    );
    for number in 0..100 {
        let (reply, answer) = oneshot::channel();
        let after = Some(crate::Revision(u64::MAX - number));
        state.handle(Input::Snapshot { after, reply });
        drop(answer);
    }
    assert_eq!(state.waiting(), 1);
}
