use std::time::Duration;

use super::{Request, first};

#[test]
fn the_first_request_counts() {
    let record = concat!(
        r#"{"order":1,"arrivedMs":1500.25,"headers":{"content-length":"321"},"body":{}}"#,
        "\n",
        r#"{"order":2,"arrivedMs":2500.0,"headers":{"content-length":"9"},"body":{}}"#,
    );
    assert_eq!(
        first(record).unwrap(),
        Request {
            arrived: Duration::from_micros(1_500_250),
            bytes: 321
        }
    );
}

#[test]
fn a_record_that_says_too_little_is_an_error() {
    assert_eq!(first("").unwrap_err().to_string(), "no request was made");
    assert_eq!(
        first(r#"{"headers":{}}"#).unwrap_err().to_string(),
        "a record without its time"
    );
    assert_eq!(
        first(r#"{"arrivedMs":1}"#).unwrap_err().to_string(),
        "a request without its length"
    );
}
