use std::sync::Arc;
use std::time::Duration;

use hyper::body::Incoming;
use hyper::header::{AUTHORIZATION, HOST, ORIGIN};
use hyper::{Request, StatusCode};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::{Endpoint, Guard, HEAD, Reply, Token, connection, read, said};

fn refusal(
    prepare: impl FnOnce(hyper::http::request::Builder, &str) -> hyper::http::request::Builder,
) -> u16 {
    let token = Token::random();
    let guard = Guard::new(4000, token.clone());
    let request = prepare(Request::builder().uri("/mcp"), token.as_str());
    match guard.check(&request.body(()).unwrap()) {
        Ok(()) => 200,
        Err(refused) => refused.status().as_u16(),
    }
}

#[test]
fn only_who_has_the_token_and_came_by_the_right_name_passes() {
    let bearer = |token: &str| format!("Bearer {token}");
    let good = |request: hyper::http::request::Builder, token: &str| {
        let request = request.header(HOST, "127.0.0.1:4000");
        request.header(AUTHORIZATION, bearer(token))
    };
    assert_eq!(refusal(good), 200);
    assert_eq!(
        refusal(|request, token| {
            let request = request.header(HOST, "LocalHost:4000");
            request.header(AUTHORIZATION, format!("bearer {token}"))
        }),
        200
    );
    assert_eq!(
        refusal(|request, _| request.header(HOST, "127.0.0.1:4000")),
        401
    );
    for wrong in ["", "x", "Bearer", "Basic abc"] {
        assert_eq!(
            refusal(|request, _| request
                .header(HOST, "127.0.0.1:4000")
                .header(AUTHORIZATION, wrong)),
            401
        );
    }
    assert_eq!(
        refusal(|request, token| {
            let almost = bearer(token.get(1..).unwrap());
            request
                .header(HOST, "127.0.0.1:4000")
                .header(AUTHORIZATION, almost)
        }),
        401
    );
    assert_eq!(
        refusal(|request, token| {
            let last = if token.ends_with('0') { '1' } else { '0' };
            let almost = format!("{}{last}", bearer(token.get(..63).unwrap()));
            request
                .header(HOST, "127.0.0.1:4000")
                .header(AUTHORIZATION, almost)
        }),
        401
    );
    assert_eq!(
        refusal(|request, token| good(request, token).header(AUTHORIZATION, bearer(token))),
        401
    );
}

#[test]
fn another_name_for_loopback_is_refused_before_the_token_is_looked_at() {
    for host in [
        "evil.example:4000",
        "127.0.0.1:4001",
        "127.0.0.1",
        "localhost.evil.example:4000",
        "host.docker.internal:4000",
        "[::1]:4000",
        "127.0.0.1:4000:4000",
        "",
    ] {
        let status = refusal(|request, token| {
            request
                .header(HOST, host)
                .header(AUTHORIZATION, format!("Bearer {token}"))
        });
        assert_eq!(status, 403, "{host}");
    }
    let status = refusal(|request, token| request.header(AUTHORIZATION, format!("Bearer {token}")));
    assert_eq!(status, 403, "no host");
    let status = refusal(|request, token| {
        let request = request
            .header(HOST, "127.0.0.1:4000")
            .header(HOST, "evil.example:4000");
        request.header(AUTHORIZATION, format!("Bearer {token}"))
    });
    assert_eq!(status, 403, "two hosts");
    let status = refusal(|_, token| {
        let request = Request::builder().uri("http://evil.example:4000/mcp");
        request
            .header(HOST, "127.0.0.1:4000")
            .header(AUTHORIZATION, format!("Bearer {token}"))
    });
    assert_eq!(status, 403, "another target");
}

#[test]
fn whatever_has_an_origin_is_a_page_and_refused() {
    for origin in [
        "https://evil.example",
        "null",
        "http://127.0.0.1:4000",
        "vscode-webview://x",
        "",
    ] {
        let status = refusal(|request, token| {
            let request = request
                .header(HOST, "127.0.0.1:4000")
                .header(ORIGIN, origin);
            request.header(AUTHORIZATION, format!("Bearer {token}"))
        });
        assert_eq!(status, 403, "{origin}");
    }
}

/// Reads what it is sent.
struct Reader;

impl Endpoint for Reader {
    async fn answer(&self, request: Request<Incoming>) -> Reply {
        match read(request).await {
            Ok(_) => said(StatusCode::OK, "read"),
            Err(refused) => *refused,
        }
    }
}

/// What somebody hears who says this and then nothing more, and after how long.
async fn heard(said: impl FnOnce(&str) -> String) -> (String, Duration) {
    let token = Token::random();
    let said = said(token.as_str());
    let guard = Arc::new(Guard::new(4000, token));
    let (mut client, server): (DuplexStream, _) = tokio::io::duplex(64 * 1024);
    client.write_all(said.as_bytes()).await.unwrap();
    let before = Instant::now();
    let serving = connection(server, guard, Arc::new(Reader), CancellationToken::new());
    let mut heard = String::new();
    let (_, read) = tokio::join!(serving, client.read_to_string(&mut heard));
    read.unwrap();
    (heard, before.elapsed())
}

#[tokio::test(start_paused = true)]
async fn a_head_that_does_not_end_is_given_up() {
    let (heard, took) = heard(|_| "POST /mcp HTTP/1.1\r\nhost: 127".to_owned()).await;
    assert_eq!((heard.as_str(), took), ("", HEAD));
}

#[tokio::test(start_paused = true)]
async fn a_body_that_does_not_end_is_given_up() {
    let (heard, took) = heard(|token| {
        format!(
            "POST /mcp HTTP/1.1\r\nhost: 127.0.0.1:4000\r\nauthorization: Bearer {token}\r\n\
             content-length: 10\r\n\r\n{{}}"
        )
    })
    .await;
    assert!(heard.starts_with("HTTP/1.1 408 "), "{heard}");
    assert!(heard.ends_with("the body takes too long"), "{heard}");
    assert!(took >= Duration::from_secs(30), "{took:?}");
}
