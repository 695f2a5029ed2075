//! Google's own JavaScript SDK understands what the scripted model says.

use std::path::{Path, PathBuf};
use std::process::Output;

use pollux_testkit::{Call, Reply, Script, ScriptedModel, Usage};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::command;

const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/genai");

#[tokio::test]
async fn the_official_sdk_reads_text_thoughts_calls_citations_and_errors() {
    let answer = Reply::text("héllo ")
        .thought("**Plan**\nthink")
        .chunk("🌍")
        .call(
            Call::new("read_file", json!({ "path": "a.rs" }))
                .id("call-1")
                .thought_signature("c2ln"),
        )
        .citation("https://example.org", "Example")
        .finish_with_usage(
            "STOP",
            Usage {
                prompt: 10,
                output: 4,
                thoughts: 2,
                cached: 0,
            },
        );
    let script = Script::new()
        .reply(answer.clone())
        .reply(answer.clone().split(1))
        .reply(answer)
        .reply(Reply::text("all ").chunk("at once").finish("STOP"))
        .reply(Reply::token_count(31))
        .reply(Reply::error(429, "RESOURCE_EXHAUSTED", "slow down").retry_delay("10s"))
        .strict();
    let server = ScriptedModel::start(script).await;
    let url = server.url();
    let seen = tokio::task::spawn_blocking(move || run_client(&install(), &url))
        .await
        .unwrap();

    let streamed = json!({
        "text": "héllo 🌍",
        "thoughts": "**Plan**\nthink",
        "calls": [{
            "name": "read_file", "args": { "path": "a.rs" }, "id": "call-1", "signature": "c2ln",
        }],
        "citations": [{ "uri": "https://example.org", "title": "Example" }],
        "finish": "STOP",
        "tokens": 16,
    });
    let retry = json!({
        "@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "10s",
    });
    let expected = json!({
        "stream": streamed,
        "splitStream": streamed,
        "vertexStream": streamed,
        "whole": "all at once",
        "tokens": 31,
        "error": { "name": "ApiError", "status": 429, "body": { "error": {
            "code": 429, "message": "slow down", "status": "RESOURCE_EXHAUSTED",
            "details": [retry],
        } } },
    });
    assert_eq!(seen, expected);

    let requests = server.requests();
    let first = requests.first().unwrap();
    assert_eq!(first.query, "alt=sse");
    assert_eq!(first.header("x-goog-api-key"), Some("test-key"));
    assert_eq!(
        first.json()["contents"],
        json!([{ "role": "user", "parts": [{ "text": "hi" }] }])
    );
    let paths: Vec<&str> = requests.iter().map(|one| one.path.as_str()).collect();
    assert_eq!(
        paths,
        [
            "/v1beta/models/gemini-test:streamGenerateContent",
            "/v1beta/models/gemini-test:streamGenerateContent",
            "/v1beta1/publishers/google/models/gemini-test:streamGenerateContent",
            "/v1beta/models/m:generateContent",
            "/v1beta/models/m:countTokens",
            "/v1beta/models/gemini-test:streamGenerateContent",
        ]
    );
}

#[test]
fn the_lock_file_leaves_the_choice_of_registry_to_the_user() {
    let text = std::fs::read_to_string(Path::new(SOURCE).join("package-lock.json")).unwrap();
    assert!(
        !text.contains("\"resolved\""),
        "write it with `npm install --package-lock-only --omit-lockfile-registry-resolved=true`"
    );
}

fn run_client(installed: &Path, url: &str) -> Value {
    let client = Path::new(SOURCE).join("client.mjs");
    let mut node = command("node");
    // A proxy of the machine is not for loopback.
    node.arg(client).arg(installed).arg(url);
    for variable in ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"] {
        node.env_remove(variable);
    }
    let output = node
        .output()
        .expect("this test needs `node` (version 20 or newer) on the PATH");
    serde_json::from_str(&checked("node client.mjs", &output)).unwrap()
}

/// Installs the SDK once per lock file, in the user's cache folder. A finished folder appears
/// under its name by one rename, so that two runs cannot disturb each other.
fn install() -> PathBuf {
    let lock_file = std::fs::read(Path::new(SOURCE).join("package-lock.json")).unwrap();
    let digest = Sha256::digest(&lock_file);
    let hash: String = digest
        .iter()
        .take(8)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let root = cache_root().join("pollux-tests");
    let installed = root.join(format!("genai-{hash}"));
    if installed.join("complete").exists() {
        return installed;
    }
    std::fs::create_dir_all(&root).unwrap();
    let fresh = tempfile::Builder::new()
        .prefix("genai-unfinished-")
        .tempdir_in(&root)
        .unwrap();
    for name in ["package.json", "package-lock.json"] {
        std::fs::copy(Path::new(SOURCE).join(name), fresh.path().join(name)).unwrap();
    }
    let output = command("npm")
        .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"])
        .current_dir(fresh.path())
        .output()
        .expect("this test needs `npm` on the PATH");
    checked("npm ci", &output);
    std::fs::write(fresh.path().join("complete"), "").unwrap();
    if std::fs::rename(fresh.path(), &installed).is_err() {
        assert!(
            installed.join("complete").exists(),
            "{} is in the way of the installed SDK; remove it",
            installed.display()
        );
    }
    installed
}

#[expect(
    clippy::disallowed_methods,
    reason = "the cache folder belongs to the user who runs the tests"
)]
fn cache_root() -> PathBuf {
    let from = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    from("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .or_else(|| from("HOME").map(|home| PathBuf::from(home).join(".cache")))
        .expect("HOME or XDG_CACHE_HOME is set")
}

/// The output of a program that went well.
fn checked(what: &str, output: &Output) -> String {
    let [stdout, stderr] =
        [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    assert!(
        output.status.success(),
        "{what} ended with {}:\n{stdout}\n{stderr}",
        output.status
    );
    stdout
}
