use super::*;

/// What the library makes of an answer without a body.
fn failure(status: u16) -> Failure {
    let answer = http::Response::builder().status(status).body("").unwrap();
    let error = reqwest::Response::from(answer).error_for_status();
    named(StreamableHttpError::Client(error.unwrap_err()))
}

#[test]
fn a_stream_that_is_not_there_is_not_asked_for_again() {
    let gone: Failure = StreamableHttpError::ServerDoesNotSupportSse;
    assert_eq!(failure(404).to_string(), gone.to_string());
    assert_eq!(refusal(&failure(404)), None);
    assert!(matches!(failure(400), StreamableHttpError::Client(_)));
}

#[test]
fn whoever_turns_us_away_without_a_word_turns_us_away() {
    let refused = Some(Refusal::Token { challenge: None });
    assert_eq!(refusal(&failure(401)), refused);
    let text = "HTTP 401 Unauthorized: ".into();
    let failure = named(StreamableHttpError::UnexpectedServerResponse(text));
    assert_eq!(refusal(&failure), refused);
}
