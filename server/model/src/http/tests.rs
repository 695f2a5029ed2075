mod trust;

use expect_test::expect;
use pollux_testkit::Reply;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::testing::{KEY, policy, prompt, serve};
use crate::*;

fn open_ai(base: &str, options: NetworkOptions) -> OpenAi {
    let config = OpenAiConfig {
        retry: policy(1),
        ..OpenAiConfig::new(base, "m")
    };
    OpenAi::new(config, Http::new(options)).unwrap()
}

async fn answer(model: &OpenAi) -> Result<String, String> {
    let answer = model.generate(&prompt(), CancellationToken::new()).await;
    answer
        .map(|answer| answer.text())
        .map_err(|error| error.to_string())
}

#[tokio::test]
async fn requests_go_through_the_proxy() {
    let proxy = serve(Reply::text("through").finish("STOP")).await;
    let url = proxy
        .url()
        .replace("http://", "http://someone:proxy-password@");
    let model = open_ai(
        "http://model.example/v1",
        NetworkOptions::default().with_proxy(url),
    );
    assert_eq!(answer(&model).await, Ok("through".to_owned()));
    let sent = proxy.next_request().await;
    assert_eq!(sent.header("host"), Some("model.example"));
    assert_eq!(
        sent.header("proxy-authorization"),
        Some("Basic c29tZW9uZTpwcm94eS1wYXNzd29yZA==")
    );
}

#[tokio::test]
async fn this_machine_is_never_reached_through_the_proxy() {
    let server = serve(Reply::text("direct").finish("STOP").times(2)).await;
    let proxy = serve(Reply::text("wrong").finish("STOP").always()).await;
    let options = NetworkOptions::default().with_proxy(proxy.url());
    assert_eq!(
        answer(&open_ai(&server.url(), options.clone())).await,
        Ok("direct".to_owned())
    );
    let by_name = format!("http://localhost:{}", server.address().port());
    assert_eq!(
        answer(&open_ai(&by_name, options)).await,
        Ok("direct".to_owned())
    );
}

#[test]
fn the_proxy_is_taken_from_what_was_handed_in() {
    let options = |variables: &[(&str, &str)]| {
        NetworkOptions::from_env(|name| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    };
    let all = [
        ("http_proxy", "d"),
        ("HTTP_PROXY", "c"),
        ("https_proxy", "b"),
        ("HTTPS_PROXY", "a"),
    ];
    assert_eq!(options(&all).proxy(), Some("a"));
    assert_eq!(options(&all[..3]).proxy(), Some("b"));
    assert_eq!(options(&all[..2]).proxy(), Some("c"));
    assert_eq!(options(&all[..1]).proxy(), Some("d"));
    assert_eq!(
        options(&[("HTTPS_PROXY", " "), ("NO_PROXY", "x.y")]).proxy(),
        None
    );
    assert_eq!(options(&[("NO_PROXY", "x.y")]).no_proxy(), "x.y");
    let shown = format!(
        "{:?}",
        NetworkOptions::default().with_proxy("http://a:secret-word@b")
    );
    assert!(!shown.contains("secret-word"), "{shown}");
}

#[tokio::test]
async fn unusable_options_are_an_error_of_the_first_request() {
    let proxy = NetworkOptions::default().with_proxy("http://user:secret-word@:not a port");
    let mut roots = NetworkOptions::default();
    roots
        .extra_roots
        .push(b"-----BEGIN CERTIFICATE-----\n!!\n-----END CERTIFICATE-----\n".to_vec());
    let answers = [
        answer(&open_ai("http://127.0.0.1:9", proxy)).await,
        answer(&open_ai("https://127.0.0.1:9", roots)).await,
    ];
    expect![[r#"
        [
            Err(
                "cannot use this model: the proxy's address cannot be read",
            ),
            Err(
                "cannot use this model: an extra certificate cannot be read: base64 decode error: InvalidCharacter(33)",
            ),
        ]
    "#]].assert_debug_eq(&answers);
}

#[tokio::test]
async fn a_server_that_does_not_speak_tls_is_told_apart() {
    let server = serve(Reply::text("plain").finish("STOP").always()).await;
    let secure = server.url().replace("http://", "https://");
    let error = answer(&open_ai(&secure, NetworkOptions::default()))
        .await
        .unwrap_err();
    assert!(error.starts_with("the secure connection broke"), "{error}");
}

#[tokio::test]
async fn a_client_is_built_only_when_it_is_needed() {
    let http = Http::default();
    let built = || {
        let is_built = |cell: &OnceLock<_>| cell.get().is_some();
        (is_built(&http.shared.plain), is_built(&http.shared.secure))
    };
    assert_eq!(built(), (false, false));
    let plain = Url::parse("http://127.0.0.1").unwrap();
    http.client_for(&plain).await.unwrap();
    assert_eq!(built(), (true, false));
    let secure = Url::parse("https://127.0.0.1").unwrap();
    http.client_for(&secure).await.unwrap();
    assert_eq!(built(), (true, true));
}

#[test]
fn custom_headers_are_read_as_the_twin_reads_them() {
    let read = |text: &str| {
        CustomHeaders::parse(text)
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect::<Vec<_>>()
            .join("; ")
    };
    assert_eq!(read("A: 1, B: 2"), "A=1; B=2");
    assert_eq!(read("A: 1, 2, B: x:y,,"), "A=1, 2; B=x:y,,");
    assert_eq!(read(" , nothing, : no name"), "");
    assert_eq!(
        format!("{:?}", CustomHeaders::parse(&format!("A: {KEY}"))),
        r#"["A"]"#
    );
}
