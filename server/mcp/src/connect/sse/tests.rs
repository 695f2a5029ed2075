use super::*;

#[test]
fn requests_stay_at_the_server_that_was_configured() {
    let url = Url::parse("http://localhost:1/sse").unwrap();
    let joined = same_origin(&url, "/messages?session=1").unwrap();
    assert_eq!(joined.as_str(), "http://localhost:1/messages?session=1");
    for foreign in [
        "http://localhost:2/x",
        "https://localhost:1/x",
        "//evil/x",
        "http://[",
    ] {
        assert!(same_origin(&url, foreign).is_err(), "{foreign}");
    }
}
