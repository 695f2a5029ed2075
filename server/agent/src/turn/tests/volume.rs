//! Answers that are far too long still are answers.

use pollux_testkit::{Reply, Script};

use super::shapes::Shape;
use super::{Stage, is_end, ok};
use crate::LoopDetection;
use crate::api::{Event, Op, TurnOutcome};

/// Plays a turn and counts the pieces and bytes of its text instead of keeping them.
async fn measure(stage: &mut Stage) -> (usize, usize) {
    stage.submit(Op::Queue("fix it".into())).await;
    let (mut pieces, mut bytes) = (0, 0);
    loop {
        let event = stage.events.recv().await.unwrap();
        match &event {
            Event::TextReceived(text) => {
                pieces += 1;
                bytes += text.len();
            }
            Event::TurnEnded { outcome, .. } => assert_eq!(outcome, &TurnOutcome::Completed),
            _ => {}
        }
        if is_end(&event) {
            return (pieces, bytes);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_of_very_many_pieces_ends_well_with_an_eye_on_loops() {
    const PIECES: usize = 100_000;
    for shape in Shape::BOTH {
        let script = Script::new()
            .reply(
                Reply::new()
                    .repeat(PIECES, |reply| reply.chunk("piece {n} of the answer; "))
                    .finish("STOP"),
            )
            .reply(ok());
        let mut stage = shape.stage(script).await;
        assert_eq!(measure(&mut stage).await.0, PIECES);
        assert!(stage.turn("again").await.ends_with("Completed\n"));
        let last = format!("piece {} of the answer; ", PIECES - 1);
        assert!(shape.said(&stage, 2).contains(&last));
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_of_eight_megabytes_ends_well() {
    const MEGABYTE: usize = 1 << 20;
    for shape in Shape::BOTH {
        let script = Script::new()
            .reply(
                Reply::new()
                    .repeat(8, |reply| reply.chunk("x".repeat(MEGABYTE)))
                    .finish("STOP"),
            )
            .reply(ok());
        let mut stage = shape
            .stage_with(script, |config| config.loop_detection = LoopDetection::Off)
            .await;
        assert_eq!(measure(&mut stage).await, (8, 8 * MEGABYTE));
        assert!(stage.turn("again").await.ends_with("Completed\n"));
    }
}
