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

#[tokio::test]
async fn every_piece_of_an_answer_outlives_a_process_that_is_killed() {
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
    let (underway, _nothing) = Underway::open(&project, &new.id, |_| true).unwrap();
    let (mut recording, keeping) = Recording::new(recorder, Some(underway));
    recording.record(Entry::TurnStarted { turn: TurnId(1) });
    recording.record(Entry::Prompt {
        typed: "hello",
        parts: &[Part::Text("hello".to_owned())],
        how: Said::Steered,
        kept: None,
    });
    recording.record(Entry::Asked { model: "fast" });
    let pieces: Vec<String> = (0..1_000).map(|number| format!("{number} ")).collect();
    for piece in &pieces {
        recording.record(Entry::Text(piece));
    }
    keeping.kept().await;
    // Whoever looks now sees what another process would find.
    let (_, left) = Underway::open(&project, &new.id, |_| true).unwrap();
    let turn = left.turn.unwrap();
    assert_eq!(turn.model.as_deref(), Some("fast"));
    assert_eq!(turn.text, pieces.concat());
    drop(recording);
}
