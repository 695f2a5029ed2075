use tokio_util::sync::CancellationToken;

use crate::testing::{Shape, model, prompt};
use crate::*;

#[tokio::test]
async fn the_demo_answers_in_one_piece_too() {
    let demo = Model::Demo(Demo::new(Pace::Instant));
    let answer = demo
        .generate(prompt(), CancellationToken::new())
        .await
        .unwrap();
    assert_eq!(answer.reason, FinishReason::Stop);
    assert!(!answer.text().is_empty());
    let count = demo.count_tokens(&prompt(), CancellationToken::new()).await;
    assert_eq!(count, Err(CountError::Unsupported));
    let cancelled = CancellationToken::new();
    cancelled.cancel();
    assert_eq!(
        demo.generate(prompt(), cancelled).await,
        Err(ModelError::Cancelled)
    );
}

#[test]
fn a_model_is_called_by_its_name() {
    assert_eq!(
        model(Shape::Gemini, "http://127.0.0.1:9", 1).name(),
        "gemini-3-pro"
    );
    assert_eq!(
        model(Shape::OpenAi, "http://127.0.0.1:9", 1).name(),
        "qwen3"
    );
}
