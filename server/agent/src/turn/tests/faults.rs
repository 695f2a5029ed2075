//! Connections that break and providers that refuse: each ends in its event, and the session goes on.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use expect_test::expect;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use pollux_testkit::{Call, RefusedPort, Reply, Script, Step};
use serde_json::json;

use super::{MODEL, Stage, gemini, ok};
use crate::api::ApprovalMode;
use crate::testing::MemoryFiles;
use crate::{EditOrigin, FileError, Files, OneVoice, WorkspacePath, Written};

#[tokio::test(start_paused = true)]
async fn an_answer_that_breaks_off_is_discarded_and_asked_for_again() {
    let in_stream = json!({ "error": { "code": 503, "message": "busy", "status": "UNAVAILABLE" } });
    let table = [
        Reply::text("half").cut(),
        Reply::text("half").reset(),
        Reply::text("half").raw_event("{\"candidates\": [}"),
        Reply::text("half").event(in_stream),
        Reply::text("half").stall(),
        Reply::new().thought("**Plan** think").cut(),
        Reply::new().citation("https://a.test", "A").cut(),
    ];
    let mut shown = String::new();
    for broken in table {
        let mut stage = Stage::start(Script::new().reply(broken).reply(ok()).reply(ok())).await;
        shown += &stage.turn("fix it").await;
        assert!(stage.turn("again").await.ends_with("Completed\n"));
        assert_eq!(stage.contents(2), "user: \"fix it\"\n");
        assert_eq!(
            stage.contents(3),
            "user: \"fix it\"\nmodel: \"ok\"\nuser: \"again\"\n"
        );
        shown += "--\n";
    }
    expect![[r#"
        0s turn 1 with gemini-test: fix it
        0s text: half
        0s discarded: the connection closed before the reply ended (<host>: end of file before message length reached)
        1s text: ok
        1s answer ended: Stop, prompt of 0
        1s turn 1 ended: Completed
        --
        0s turn 1 with gemini-test: fix it
        0s text: half
        0s discarded: the connection was reset (<host>: Connection reset by peer)
        1s text: ok
        1s answer ended: Stop, prompt of 0
        1s turn 1 ended: Completed
        --
        0s turn 1 with gemini-test: fix it
        0s text: half
        0s discarded: the model's reply cannot be read: not JSON (line 1, column 17)
        1s text: ok
        1s answer ended: Stop, prompt of 0
        1s turn 1 ended: Completed
        --
        0s turn 1 with gemini-test: fix it
        0s text: half
        0s discarded: the model is busy (HTTP 503): busy
        1s text: ok
        1s answer ended: Stop, prompt of 0
        1s turn 1 ended: Completed
        --
        0s turn 1 with gemini-test: fix it
        0s text: half
        300s discarded: the reply stalled (<host>)
        301s text: ok
        301s answer ended: Stop, prompt of 0
        301s turn 1 ended: Completed
        --
        0s turn 1 with gemini-test: fix it
        0s thought: Plan
        0s discarded: the connection closed before the reply ended (<host>: end of file before message length reached)
        1s text: ok
        1s answer ended: Stop, prompt of 0
        1s turn 1 ended: Completed
        --
        0s turn 1 with gemini-test: fix it
        0s quotes https://a.test
        0s discarded: the connection closed before the reply ended (<host>: end of file before message length reached)
        1s text: ok
        1s answer ended: Stop, prompt of 0
        1s turn 1 ended: Completed
        --
    "#]].assert_eq(&shown);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_breaks_off_four_times_fails_the_turn_and_is_forgotten() {
    for broken in [Reply::text("half").cut(), Reply::text("half").reset()] {
        let script = Script::new().reply(broken.times(4)).reply(ok());
        let mut stage = Stage::start(script).await;
        let shown = stage.turn("fix it").await;
        assert_eq!(shown.matches("discarded: ").count(), 3, "{shown}");
        assert!(shown.contains("7s turn 1 ended Failed: "), "{shown}");
        assert!(stage.turn("again").await.ends_with("Completed\n"));
        assert_eq!(stage.contents(5), "user: \"again\"\n");
    }
}

#[tokio::test(start_paused = true)]
async fn a_fault_before_the_first_word_is_retried_by_the_request() {
    let table = [
        Reply::new().before_headers(Step::Reset),
        Reply::new().reset(),
        Reply::new().cut(),
        Reply::new().raw_event("{half"),
        Reply::error(500, "INTERNAL", "oops"),
        Reply::error(499, "CANCELLED", "gone"),
    ];
    let mut shown = String::new();
    for fault in table {
        let mut stage = Stage::start(Script::new().reply(fault).reply(ok())).await;
        shown += &stage.turn("fix it").await;
        shown += "--\n";
    }
    expect![[r#"
        0s turn 1 with gemini-test: fix it
        0s retries 1/3 after 5s: the connection was reset (<host>: Connection reset by peer)
        5s text: ok
        5s answer ended: Stop, prompt of 0
        5s turn 1 ended: Completed
        --
        0s turn 1 with gemini-test: fix it
        0s retries 1/3 after 5s: the connection was reset (<host>: Connection reset by peer)
        5s text: ok
        5s answer ended: Stop, prompt of 0
        5s turn 1 ended: Completed
        --
        0s turn 1 with gemini-test: fix it
        0s retries 1/3 after 5s: the connection closed before the reply ended (<host>: end of file before message length reached)
        5s text: ok
        5s answer ended: Stop, prompt of 0
        5s turn 1 ended: Completed
        --
        0s turn 1 with gemini-test: fix it
        0s retries 1/3 after 5s: the model's reply cannot be read: not JSON (line 1, column 2)
        5s text: ok
        5s answer ended: Stop, prompt of 0
        5s turn 1 ended: Completed
        --
        0s turn 1 with gemini-test: fix it
        0s retries 1/3 after 5s: the provider failed (HTTP 500): oops
        5s text: ok
        5s answer ended: Stop, prompt of 0
        5s turn 1 ended: Completed
        --
        0s turn 1 with gemini-test: fix it
        0s retries 1/3 after 5s: the model is busy (HTTP 499): gone
        5s text: ok
        5s answer ended: Stop, prompt of 0
        5s turn 1 ended: Completed
        --
    "#]].assert_eq(&shown);
}

#[tokio::test(start_paused = true)]
async fn a_delay_that_the_provider_asks_for_is_waited_out() {
    let busy = Reply::error(429, "RESOURCE_EXHAUSTED", "slow").retry_delay("10s");
    let mut stage = Stage::start(Script::new().reply(busy).reply(ok()).reply(ok())).await;
    let shown = stage.turn("fix it").await;
    assert!(stage.started.elapsed() >= Duration::from_secs(10));
    expect![[r#"
        0s turn 1 with gemini-test: fix it
        0s retries 1/3 after 11s: the model is busy (HTTP 429): slow
        11s text: ok
        11s answer ended: Stop, prompt of 0
        11s turn 1 ended: Completed
    "#]]
    .assert_eq(&shown);
    assert!(stage.turn("again").await.ends_with("Completed\n"));
}

#[tokio::test(start_paused = true)]
async fn three_times_busy_spends_the_attempts_and_the_next_prompt_works() {
    let busy = Reply::error(503, "UNAVAILABLE", "busy").times(3);
    let mut stage = Stage::start(Script::new().reply(busy).reply(ok())).await;
    expect![[r#"
        0s turn 1 with gemini-test: fix it
        0s retries 1/3 after 5s: the model is busy (HTTP 503): busy
        5s retries 2/3 after 10s: the model is busy (HTTP 503): busy
        15s turn 1 ended Failed: the model is busy (HTTP 503): busy
    "#]]
    .assert_eq(&stage.turn("fix it").await);
    assert!(stage.turn("again").await.ends_with("Completed\n"));
    assert_eq!(stage.contents(4), "user: \"again\"\n");
}

#[tokio::test(start_paused = true)]
async fn what_another_try_would_not_change_fails_at_once() {
    let exhausted = || Reply::error(429, "RESOURCE_EXHAUSTED", "slow");
    let domain = "cloudcode-pa.googleapis.com";
    let table = [
        exhausted().retry_delay("400s"),
        exhausted().quota_failure("RequestsPerDay"),
        Reply::error(429, "RESOURCE_EXHAUSTED", "limit: 0"),
        exhausted().error_info("INSUFFICIENT_G1_CREDITS_BALANCE", domain, &[]),
        Reply::error(400, "INVALID_ARGUMENT", "bad"),
        Reply::error(401, "UNAUTHENTICATED", "who?"),
        Reply::error(403, "PERMISSION_DENIED", "verify").error_info(
            "VALIDATION_REQUIRED",
            domain,
            &[],
        ),
        Reply::error(404, "NOT_FOUND", "none"),
        Reply::new().status(302),
    ];
    let mut shown = String::new();
    for refusal in table {
        let mut stage = Stage::start(Script::new().reply(refusal).reply(ok())).await;
        shown += &stage.turn("fix it").await;
        assert!(stage.turn("again").await.ends_with("Completed\n"));
        assert_eq!(stage.contents(2), "user: \"again\"\n");
    }
    expect![[r#"
        0s turn 1 with gemini-test: fix it
        0s turn 1 ended Failed: Quota used up: slow
        0s turn 1 with gemini-test: fix it
        0s turn 1 ended Failed: Quota used up (daily limit): slow
        0s turn 1 with gemini-test: fix it
        0s turn 1 ended Failed: Quota used up (not included in the plan): limit: 0
        0s turn 1 with gemini-test: fix it
        0s turn 1 ended Failed: Quota used up (not enough credits): slow
        0s turn 1 with gemini-test: fix it
        0s turn 1 ended Failed: the provider rejects the request: bad
        0s turn 1 with gemini-test: fix it
        0s turn 1 ended Failed: the provider does not accept the API key: who?
        0s turn 1 with gemini-test: fix it
        0s turn 1 ended Failed: the account must be verified: verify
        0s turn 1 with gemini-test: fix it
        0s turn 1 ended Failed: the model was not found: none
        0s turn 1 with gemini-test: fix it
        0s turn 1 ended Failed: the provider answered with HTTP 302: no further information
    "#]]
    .assert_eq(&shown);
}

#[tokio::test(start_paused = true)]
async fn a_refused_connection_is_tried_again_and_fails_and_the_session_stays() {
    let port = RefusedPort::reserve();
    let mut stage = Stage::start_with(Script::new(), |_, config| {
        config.voices = OneVoice::shared(gemini(&port.url(), MODEL, 3));
    })
    .await;
    let host = port.address().to_string();
    let mut shown = String::new();
    for prompt in ["fix it", "again"] {
        shown += &stage.turn(prompt).await.replace(&host, "<host>");
    }
    expect![[r#"
        0s turn 1 with gemini-test: fix it
        0s retries 1/3 after 5s: the connection was refused (<host>: Connection refused)
        5s retries 2/3 after 10s: the connection was refused (<host>: Connection refused)
        15s turn 1 ended Failed: the connection was refused (<host>: Connection refused)
        15s turn 2 with gemini-test: again
        15s retries 1/3 after 5s: the connection was refused (<host>: Connection refused)
        20s retries 2/3 after 10s: the connection was refused (<host>: Connection refused)
        30s turn 2 ended Failed: the connection was refused (<host>: Connection refused)
    "#]]
    .assert_eq(&shown);
}

/// A disk without any room.
struct FullDisk(Arc<MemoryFiles>);

impl FullDisk {
    fn full() -> BoxFuture<'static, Result<Written, FileError>> {
        // ENOSPC, as a system says it.
        let source = io::Error::from_raw_os_error(28);
        async { Err(FileError::Unwritable { source }) }.boxed()
    }
}

impl Files for FullDisk {
    fn read<'a>(&'a self, path: &'a WorkspacePath) -> BoxFuture<'a, Result<String, FileError>> {
        self.0.read(path)
    }

    fn read_bytes<'a>(
        &'a self,
        path: &'a WorkspacePath,
        limit: u64,
    ) -> BoxFuture<'a, Result<Vec<u8>, FileError>> {
        self.0.read_bytes(path, limit)
    }

    fn write<'a>(
        &'a self,
        _: &'a WorkspacePath,
        _: &'a str,
        _: &'a str,
        _: &'a EditOrigin,
    ) -> BoxFuture<'a, Result<Written, FileError>> {
        Self::full()
    }

    fn create<'a>(
        &'a self,
        _: &'a WorkspacePath,
        _: &'a str,
        _: &'a EditOrigin,
    ) -> BoxFuture<'a, Result<Written, FileError>> {
        Self::full()
    }
}

#[tokio::test(start_paused = true)]
async fn a_disk_without_room_is_told_under_its_own_name() {
    let write = |path: &str, id: &str| {
        Call::new(
            "write_file",
            json!({ "file_path": path, "content": "text" }),
        )
        .id(id)
    };
    let replies = Reply::new()
        .call(write("a.rs", "1"))
        .call(write("new.rs", "2"));
    let script = Script::new().reply(replies.finish("STOP")).reply(ok());
    let mut stage = Stage::start_with(script, |_, config| {
        config.mode = ApprovalMode::AutoEdit;
        let files = MemoryFiles::new(&[("a.rs", "one\n")]);
        config.files = Arc::new(FullDisk(files));
    })
    .await;
    let shown = stage.turn("write them").await;
    let full = r#"Failed { error_type: "no_space_left""#;
    assert_eq!(shown.matches(full).count(), 2, "{shown}");
    assert!(shown.ends_with("Completed\n"), "{shown}");
}
