use std::io;

use super::*;

#[derive(Debug, thiserror::Error)]
#[error("{text}")]
struct Wrapped {
    text: &'static str,
    #[source]
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

fn wrapped(
    text: &'static str,
    source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
) -> Wrapped {
    Wrapped {
        text,
        source: Some(source.into()),
    }
}

#[test]
fn an_error_is_small() {
    assert!(size_of::<ModelError>() <= 64, "{}", size_of::<ModelError>());
}

#[test]
fn causes_are_found_deep_in_the_chain() {
    let io = |kind: io::ErrorKind| io::Error::from(kind);
    let tls = |error: rustls::Error| io::Error::other(error);
    let cases: Vec<(Wrapped, NetworkCause)> = vec![
        (
            wrapped("connect", io(io::ErrorKind::ConnectionRefused)),
            NetworkCause::Refused,
        ),
        (
            wrapped("send", wrapped("write", io(io::ErrorKind::BrokenPipe))),
            NetworkCause::Reset,
        ),
        (
            wrapped("read", io(io::ErrorKind::TimedOut)),
            NetworkCause::TimedOut,
        ),
        (
            wrapped("dns error", io::Error::other("failed to lookup address")),
            NetworkCause::NameNotFound,
        ),
        (
            wrapped("connect", tls(rustls::Error::DecryptError)),
            NetworkCause::Tls,
        ),
        (
            wrapped(
                "connect",
                tls(rustls::Error::InvalidCertificate(
                    rustls::CertificateError::UnknownIssuer,
                )),
            ),
            NetworkCause::Certificate,
        ),
        (
            wrapped(
                "connection closed before message completed",
                io::Error::other("x"),
            ),
            NetworkCause::ClosedEarly,
        ),
        (
            wrapped("odd", io(io::ErrorKind::HostUnreachable)),
            NetworkCause::Other,
        ),
    ];
    for (error, cause) in cases {
        assert_eq!(NetworkCause::of(&error), cause, "{error:?}");
    }
}

#[test]
fn every_network_cause_has_its_retry_rule() {
    use NetworkCause::*;
    for cause in [
        Refused,
        Reset,
        TimedOut,
        Stalled,
        ClosedEarly,
        NameNotFound,
        Tls,
    ] {
        assert_eq!(cause.retry_rule(), RetryRule::Always);
    }
    assert_eq!(Other.retry_rule(), RetryRule::FetchError);
    assert_eq!(Certificate.retry_rule(), RetryRule::Never);
}

#[test]
fn a_text_is_trimmed_and_bounded() {
    assert_eq!(ErrorText::new(" a \n").as_str(), "a");
    let long = ErrorText::new(&"é".repeat(5000));
    assert_eq!(long.as_str().chars().count(), ErrorText::LONGEST + 1);
    assert!(long.as_str().ends_with('…'));
}
