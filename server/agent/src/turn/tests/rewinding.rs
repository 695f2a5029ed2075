//! A conversation that goes back.

use pollux_testkit::Script;

use super::{Stage, ok};
use crate::api::{Event, Op, TurnId};

#[tokio::test(start_paused = true)]
async fn the_conversation_goes_on_from_before_a_turn() {
    let mut stage = Stage::start(Script::new().reply(ok().times(3))).await;
    stage.turn("first").await;
    stage.turn("second").await;
    let turn = TurnId(2);
    stage.submit(Op::Rewind { turn }).await;
    let heard = |event: &Event| matches!(event, Event::Rewound { .. });
    assert!(stage.until(heard).await.ends_with("back to before 2\n"));
    stage.turn("third").await;
    assert_eq!(
        stage.contents(3),
        "user: \"first\"\nmodel: \"ok\"\nuser: \"third\"\n"
    );
    // It was taken back, and is not there a second time.
    stage.submit(Op::Rewind { turn }).await;
    let refused = |event: &Event| matches!(event, Event::OpRefused(_));
    stage.until(refused).await;
}
