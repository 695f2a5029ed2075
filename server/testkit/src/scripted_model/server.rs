//! Accepts connections, chooses replies, keeps the record.

use std::fs::File;
use std::io::{self, Write as _};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use bytes::Bytes;
use futures_util::stream;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{oneshot, watch};
use tokio::task::JoinSet;

use super::cursor::Cursor;
use super::encoder::Encoder;
use super::error_reply::ErrorReply;
use super::gates::Gates;
use super::playback::{Control, Playback};
use super::record::{Exchange, RecordedRequest, ReplyEnd};
use super::reply::Reply;
use super::script::Script;
use super::socket::Socket;

type Body = BoxBody<Bytes, io::Error>;

/// Shared by every connection and by the test's handle.
pub(super) struct Stage {
    /// Replies and how often each was used.
    replies: Mutex<Vec<(Arc<Reply>, usize)>>,
    pub(super) gates: Arc<Gates>,
    pub(super) log: watch::Sender<Vec<Exchange>>,
    record_file: Option<Mutex<File>>,
}

impl Stage {
    pub(super) fn new(script: Script, record_file: Option<File>) -> Self {
        let unused = |reply| (Arc::new(reply), 0);
        Self {
            replies: Mutex::new(script.replies.into_iter().map(unused).collect()),
            gates: Arc::default(),
            log: watch::Sender::default(),
            record_file: record_file.map(Mutex::new),
        }
    }

    /// What is left of the script, and what it lacked.
    pub(super) fn flaws(&self) -> Vec<String> {
        let replies = self.replies.lock().unwrap_or_else(PoisonError::into_inner);
        let unused = replies.iter().enumerate().filter_map(|(index, entry)| {
            let (reply, used) = entry;
            let is_left = !reply.always && *used < reply.times;
            let (number, times) = (index + 1, reply.times);
            is_left.then(|| format!("reply {number} was used {used} of {times} times"))
        });
        let log = self.log.borrow();
        let unanswered = log
            .iter()
            .filter(|exchange| !exchange.was_scripted)
            .map(|exchange| format!("{} had no reply", exchange.request.describe()));
        unused.chain(unanswered).collect()
    }

    /// Records a request and chooses its reply in one go, so that the two orders agree.
    fn admit(
        &self,
        mut request: RecordedRequest,
        arrived: SystemTime,
    ) -> (Arc<RecordedRequest>, Option<Arc<Reply>>) {
        let mut replies = self.replies.lock().unwrap_or_else(PoisonError::into_inner);
        request.order = self.log.borrow().len() + 1;
        let request = Arc::new(request);
        let body = request.text();
        let chosen = replies
            .iter_mut()
            .find(|(reply, used)| {
                (reply.always || *used < reply.times) && reply.when.matches(&request.path, &body)
            })
            .map(|(reply, used)| {
                *used += 1;
                Arc::clone(reply)
            });
        if let Some(file) = &self.record_file {
            // In one write: a file is not buffered, and whoever is measured would wait for thousands of small ones.
            let line = request.line(arrived);
            let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
            file.write_all(&line).expect("the record file takes a line");
        }
        self.log.send_modify(|log| {
            log.push(Exchange {
                request: Arc::clone(&request),
                was_scripted: chosen.is_some(),
                end: None,
            });
        });
        (request, chosen)
    }
}

/// Tells the log how a reply ended; when dropped before, that the client left.
pub(super) struct EndReport {
    stage: Arc<Stage>,
    order: usize,
    is_set: bool,
}

impl EndReport {
    pub(super) fn set(&mut self, end: ReplyEnd) {
        if !std::mem::replace(&mut self.is_set, true) {
            let index = self.order - 1;
            self.stage.log.send_modify(|log| log[index].end = Some(end));
        }
    }
}

impl Drop for EndReport {
    fn drop(&mut self) {
        self.set(ReplyEnd::ClientLeft);
    }
}

/// Serves until `stop` is sent or dropped; then every connection is closed.
pub(super) async fn run(listener: TcpListener, stage: Arc<Stage>, mut stop: oneshot::Receiver<()>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                let (stream, _) = accepted.expect("loopback accepts");
                connections.spawn(serve_connection(stream, Arc::clone(&stage)));
            }
            Some(_finished) = connections.join_next() => {}
            _stopped_or_dropped = &mut stop => break,
        }
    }
    drop(listener);
    connections.shutdown().await;
}

async fn serve_connection(stream: TcpStream, stage: Arc<Stage>) {
    stream.set_nodelay(true).expect("a TCP option");
    let socket = Socket::new(stream);
    let service = service_fn(|request| answer(request, socket.clone(), Arc::clone(&stage)));
    let connection = http1::Builder::new().serve_connection(TokioIo::new(socket.clone()), service);
    // A connection that breaks is what many scripts ask for; the log says how replies ended.
    let _broken_on_purpose = connection.await;
}

async fn answer(
    request: Request<Incoming>,
    socket: Socket,
    stage: Arc<Stage>,
) -> io::Result<Response<Body>> {
    let arrived = SystemTime::now();
    let (request, reply) = stage.admit(receive(request).await?, arrived);
    let mut report = EndReport {
        stage: Arc::clone(&stage),
        order: request.order,
        is_set: false,
    };
    let Some(reply) = reply else {
        report.set(ReplyEnd::Complete);
        return Ok(no_reply_left(&request));
    };
    let mut control = Control {
        socket,
        gates: Arc::clone(&stage.gates),
        report,
    };
    let mut before_headers = Cursor::new(reply.before_headers.clone());
    while let Some(step) = before_headers.next() {
        control.perform(&step, b"").await?;
    }
    Ok(start_reply(&reply, &request, control))
}

async fn receive(request: Request<Incoming>) -> io::Result<RecordedRequest> {
    let (head, body) = request.into_parts();
    let body = body.collect().await.map_err(io::Error::other)?.to_bytes();
    let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let headers = head.headers.iter();
    Ok(RecordedRequest {
        order: 0,
        method: head.method.to_string(),
        path: head.uri.path().to_owned(),
        query: head.uri.query().unwrap_or_default().to_owned(),
        headers: headers
            .map(|(name, value)| (name.to_string(), text(value)))
            .collect(),
        body,
    })
}

fn start_reply(reply: &Reply, request: &RecordedRequest, control: Control) -> Response<Body> {
    let encoder = Encoder::for_request(request);
    let mut waiting = Bytes::new();
    let mut content_type = encoder.content_type();
    if let Some(error) = &reply.error {
        let body = encoder.error_body(reply.status, error);
        waiting = body.to_string().into();
        content_type = "application/json; charset=UTF-8";
    }
    let mut response = Response::builder().status(reply.status);
    let headers = response.headers_mut().expect("the script was checked");
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    for (name, value) in &reply.headers {
        let name: hyper::header::HeaderName = name.parse().expect("the script was checked");
        headers.insert(name, value.parse().expect("the script was checked"));
    }
    let playback = Playback {
        cursor: Cursor::new(reply.steps.clone()),
        encoder,
        split: reply.split,
        omit_done: reply.omit_done,
        is_chunked: !headers.contains_key(CONTENT_LENGTH),
        control,
        waiting,
        has_ended: false,
    };
    let frames = stream::unfold(playback, |mut playback| async {
        let frame = playback.next_frame().await?;
        Some((frame.map(Frame::data), playback))
    });
    response
        .body(BodyExt::boxed(StreamBody::new(frames)))
        .expect("the script was checked")
}

fn no_reply_left(request: &RecordedRequest) -> Response<Body> {
    let error = ErrorReply {
        status: "INTERNAL".to_owned(),
        message: format!("the script has no reply for {}", request.describe()),
        details: Vec::new(),
    };
    let body = Full::from(error.google_body(500).to_string());
    Response::builder()
        .status(500)
        .header(CONTENT_TYPE, "application/json; charset=UTF-8")
        .body(body.map_err(|never| match never {}).boxed())
        .expect("a fixed head")
}
