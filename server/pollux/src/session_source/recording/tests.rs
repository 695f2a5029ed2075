use pollux_sessions::{NewSession, Place, SessionId, project_for};
use pollux_settings::{Environment, Locations};

use super::*;

#[tokio::test]
async fn whoever_listens_hears_that_nothing_is_recorded_any_more() {
    let place = tempfile::tempdir().unwrap();
    let home = [("HOME", place.path().to_str().unwrap())];
    let environment: Environment = home.into_iter().collect();
    let locations = Locations::new(&environment, place.path());
    let project = project_for(&locations, place.path(), SystemTime::now()).unwrap();
    let new = NewSession {
        id: SessionId::generate(&mut RandomIds),
        place: Place::Main,
        directories: Vec::new(),
        started: SystemTime::now(),
    };
    let recorder = Recorder::start(&project, &new, Box::new(RandomIds)).unwrap();
    // No file can be made where a file is in the place of the folder.
    let chats = recorder.path().parent().unwrap();
    let _absent = std::fs::remove_dir_all(chats);
    std::fs::write(chats, "").unwrap();
    let (mut recording, _keeping) = Recording::new(recorder, None);
    let (events, mut heard) = mpsc::channel(1);
    recording.tell_through(events.downgrade());
    recording.record(Entry::Prompt {
        typed: "hello",
        parts: &[Part::Text("hello".to_owned())],
        how: Said::Steered,
        kept: None,
    });
    let event = heard.recv().await.unwrap();
    assert!(matches!(event, Event::RecordingStopped { .. }), "{event:?}");
}
