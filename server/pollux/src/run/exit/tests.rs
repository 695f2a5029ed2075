use pollux_agent::api::{Added, InvalidStream, Overflow};

use super::*;

#[test]
fn every_end_has_its_code() {
    let failed = |error| Ending::Turn(TurnOutcome::Failed(error));
    let busy = || ModelError::RateLimited {
        status: 429,
        delay: None,
        message: "busy".into(),
    };
    let overflow = Overflow {
        model: "qwen".to_owned(),
        window: 1,
        added: Added::Prompt,
        estimated: 2,
        remaining: 1,
        instructions: 0,
        tools: 0,
    };
    let turn = Ending::Turn;
    let table = [
        (Ending::Command, 0, 0),
        (Ending::WrongInput("no".to_owned()), 42, 42),
        (Ending::DiskFull("full".to_owned()), 54, 54),
        (turn(TurnOutcome::Completed), 0, 0),
        (
            turn(TurnOutcome::InvalidAnswer(InvalidStream::NoResponseText)),
            0,
            0,
        ),
        (turn(TurnOutcome::LoopDetected("again".to_owned())), 0, 0),
        (
            turn(TurnOutcome::StoppedByHook {
                reason: "no".to_owned(),
            }),
            0,
            0,
        ),
        (turn(TurnOutcome::Cancelled), 130, 130),
        (turn(TurnOutcome::Interrupted), 130, 130),
        (turn(TurnOutcome::Unattended), 130, 130),
        (turn(TurnOutcome::Declined), 1, 1),
        (turn(TurnOutcome::RoundLimitReached { limit: 100 }), 53, 53),
        (turn(TurnOutcome::SessionLimitReached { limit: 1 }), 53, 53),
        (turn(TurnOutcome::ContextOverflow(overflow)), 1, 1),
        (
            failed(ModelError::Unauthorized {
                message: "no".into(),
            }),
            41,
            41,
        ),
        (
            failed(ModelError::Configuration {
                message: "no".into(),
            }),
            41,
            41,
        ),
        (failed(ModelError::NoPrompt), 1, 1),
        (failed(busy()), 1, 173),
    ];
    for (ending, text, programs) in table {
        let of = |format| code(&ending, format);
        assert_eq!(of(OutputFormat::Text), ExitCode::from(text), "{ending:?}");
        for format in [OutputFormat::Json, OutputFormat::StreamJson] {
            assert_eq!(of(format), ExitCode::from(programs), "{ending:?}");
        }
    }
}
