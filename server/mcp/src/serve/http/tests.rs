use bytes::Bytes;
use http_body_util::Full;
use serde_json::{Value, json};

use super::*;

struct Quiet;

impl ServerHandler for Quiet {}

fn request(method: Method, session: Option<&str>, body: &Value) -> Request<Full<Bytes>> {
    let mut request = Request::builder()
        .method(method)
        .uri(PATH)
        .header("host", "127.0.0.1")
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream");
    if let Some(session) = session {
        request = request.header(SESSION, session);
    }
    request.body(body.to_string().into()).unwrap()
}

fn hello() -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" },
    } })
}

async fn ping(mounted: &Mounted<Quiet>, session: &str) -> StatusCode {
    let ping = json!({ "jsonrpc": "2.0", "id": 2, "method": "ping" });
    let reply = mounted.handle(request(Method::POST, Some(session), &ping));
    let reply = reply.await;
    let status = reply.status();
    reply.into_body().collect().await.unwrap();
    status
}

/// The clock stands still but for this. Whoever has waited for the moment has their turn.
async fn pass(time: Duration) {
    tokio::time::advance(time).await;
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_session_lasts_as_long_as_its_stream_and_not_much_longer() {
    let stop = CancellationToken::new();
    let mounted = Arc::new(Mounted::new(|| Quiet, &stop));
    tokio::spawn(Arc::clone(&mounted).look_after_sessions(stop.clone()));
    let welcome = mounted.handle(request(Method::POST, None, &hello())).await;
    let session = session_of(welcome.headers()).unwrap();
    welcome.into_body().collect().await.unwrap();
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let ready = mounted.handle(request(Method::POST, Some(&session), &ready));
    assert_eq!(ready.await.status(), StatusCode::ACCEPTED);
    let stream = mounted.handle(request(Method::GET, Some(&session), &Value::Null));
    let stream = stream.await;
    assert_eq!(stream.status(), StatusCode::OK);
    // Nothing is said for longer than any limit of the library.
    pass(AWAY * 5).await;
    assert_eq!(ping(&mounted, &session).await, StatusCode::OK);
    drop(stream);
    pass(AWAY / 2).await;
    assert_eq!(ping(&mounted, &session).await, StatusCode::OK);
    pass(AWAY + Duration::from_secs(1)).await;
    assert_eq!(ping(&mounted, &session).await, StatusCode::NOT_FOUND);
    assert!(mounted.sessions.sessions.read().await.is_empty());
    assert!(mounted.clients.lock().is_empty());
    stop.cancel();
}

#[tokio::test(start_paused = true)]
async fn who_says_goodbye_is_forgotten_at_once() {
    let mounted = Mounted::new(|| Quiet, &CancellationToken::new());
    let welcome = mounted.handle(request(Method::POST, None, &hello())).await;
    let session = session_of(welcome.headers()).unwrap();
    drop(welcome);
    let goodbye = mounted.handle(request(Method::DELETE, Some(&session), &Value::Null));
    assert!(goodbye.await.status().is_success());
    assert!(mounted.clients.lock().is_empty());
    assert_eq!(ping(&mounted, &session).await, StatusCode::NOT_FOUND);
}
