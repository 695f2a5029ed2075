//! What is kept of edits, and for how long.

use pollux_agent::api::ApprovalId;
use pollux_workspace::DoorId;

use super::super::session::Client;
use super::testing::Stage;
use super::*;

fn agent() -> Arc<Session> {
    Arc::new(Session::new(Client::default()))
}

#[tokio::test]
async fn nothing_is_kept_of_edits_that_are_decided_or_taken_back() {
    let mut stage = Stage::new();
    let agent = agent();
    for name in ["a", "b", "c"] {
        stage.open(&agent, name).await;
    }
    stage.shown(3).await;
    assert_eq!(stage.diffs.turns.files(), 3);
    assert!(stage.diffs.close(&agent, &stage.path("a")).await.is_some());
    stage.shown(2).await;
    assert!(stage.diffs.close(&agent, &stage.path("a")).await.is_none());
    let asked = stage.questions.borrow().clone();
    for (question, answer) in asked
        .iter()
        .zip([Answer::Allow, Answer::Deny { feedback: None }])
    {
        let Asked::Edit(proposal) = &question.asked else {
            panic!("an edit");
        };
        let approval = ApprovalId(proposal.id.0);
        let answered = question.handle.submit(Op::Answer {
            approval,
            answer,
            by: None,
        });
        answered.await.unwrap();
    }
    stage.empty().await;
}

#[tokio::test]
async fn nothing_is_kept_of_an_agent_that_has_gone_with_edits_that_waited_for_their_turn() {
    let mut stage = Stage::new();
    let (one, two) = (agent(), agent());
    stage.open(&one, "a").await;
    stage.shown(1).await;
    for agent in [&two, &one, &two] {
        stage.open(agent, "a").await;
    }
    assert_eq!(stage.diffs.turns.files(), 1);
    assert_eq!(stage.diffs.lock().open.len(), 4);
    // Whoever is left has the next turn.
    stage.diffs.forget(&one);
    let asker = format!("companion-{}", two.id);
    let is_of_two = |questions: &Vec<OpenQuestion>| {
        let mut askers = questions.iter().map(|question| question.session.as_str());
        askers.next() == Some(asker.as_str())
    };
    stage.questions.wait_for(is_of_two).await.unwrap();
    assert_eq!(stage.diffs.lock().open.len(), 2);
    stage.diffs.forget(&two);
    stage.empty().await;
}

#[tokio::test]
async fn an_edit_that_was_asked_for_on_the_way_out_is_shown_to_nobody() {
    let mut stage = Stage::new();
    let agent = agent();
    stage.diffs.forget(&agent);
    let late = stage
        .diffs
        .open(&agent, stage.path("a"), "text\n".to_owned());
    assert!(matches!(late.await, Err(Refused::Closed)));
    stage.empty().await;
}

#[tokio::test]
async fn nothing_is_kept_when_the_last_window_goes() {
    let mut stage = Stage::new();
    let agent = agent();
    for name in ["a", "a", "b"] {
        stage.open(&agent, name).await;
    }
    stage.shown(2).await;
    stage.rooms.leave(DoorId::new(1));
    stage.diffs.reject_all();
    stage.empty().await;
    let late = stage
        .diffs
        .open(&agent, stage.path("a"), "text\n".to_owned());
    assert!(late.await.is_err());
    stage.empty().await;
}

#[tokio::test]
async fn so_many_edits_are_kept_and_no_more() {
    let mut stage = Stage::new();
    let agent = agent();
    for number in 0..MOST_OPEN {
        stage.open(&agent, &format!("{}", number % 3)).await;
    }
    let more = stage
        .diffs
        .open(&agent, stage.path("more"), "text\n".to_owned());
    assert!(matches!(more.await, Err(Refused::TooMany)));
    stage.shown(3).await;
    assert_eq!(stage.diffs.turns.files(), 3);
    stage.diffs.forget(&agent);
    stage.empty().await;
}
