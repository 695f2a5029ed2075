use super::*;

#[test]
fn what_does_not_count_in_a_name() {
    for (one, other) in [
        ("https://a.example", "https://a.example/"),
        ("https://A.example", "https://a.example"),
        ("https://a.example:443/t", "https://a.example/t/"),
    ] {
        assert!(same_issuer(one, other), "{one} {other}");
    }
}

#[test]
fn what_counts_in_a_name() {
    for (one, other) in [
        ("https://a.example", "http://a.example"),
        ("https://a.example", "https://b.example"),
        ("https://a.example/t", "https://a.example/u"),
        ("https://a.example/T", "https://a.example/t"),
        ("https://a.example", "https://a.example:8443"),
        ("https://a.example", "https://a.example?x"),
        ("https://x@a.example", "https://x@a.example"),
        ("a.example", "a.example"),
        ("mailto:a", "mailto:a"),
        ("", ""),
    ] {
        assert!(!same_issuer(one, other), "{one} {other}");
    }
}
