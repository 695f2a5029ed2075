use expect_test::expect;
use pollux_testkit::{Reply, Script, ScriptedModel};
use proptest::prelude::*;

use super::*;

fn client(reach: Reach) -> WebClient {
    let limits = WebLimits {
        bytes: 1_000,
        redirects: 2,
        ..WebLimits::default()
    };
    WebClient::new(NetworkOptions::default(), reach, limits)
}

#[tokio::test]
async fn by_default_this_machine_and_its_networks_are_out_of_reach() {
    assert_eq!(Reach::default(), Reach::Public);
    let client = client(Reach::default());
    for host in [
        "127.0.0.1",
        "127.8.8.8",
        "0.0.0.0",
        "10.0.0.1",
        "172.16.0.1",
        "192.168.0.1",
        "169.254.169.254",
        "100.64.0.1",
        "198.18.0.1",
        "198.19.255.255",
        "224.0.0.1",
        "255.255.255.255",
        // The same machine in other spellings.
        "2130706433",
        "0x7f.1",
        "0177.0.0.1",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::ffff:10.0.0.1]",
        "[::127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]",
        "[fe80::1]",
        "[fc00::1]",
        "[fd12::1]",
        "[ff02::1]",
        "[2001:db8::1]",
        "localhost",
        "LOCALHOST",
        "localhost.",
        "a.localhost",
        "printer.local",
        "metadata.google.internal",
    ] {
        let checked = client.check(&format!("http://{host}/")).await;
        assert!(
            matches!(checked, Err(WebError::Blocked { .. })),
            "{host}: {checked:?}"
        );
        let got = client.get(&format!("http://{host}/")).await;
        assert!(
            matches!(got, Err(WebError::Blocked { .. })),
            "{host}: {got:?}"
        );
    }
}

#[tokio::test]
async fn the_rest_of_the_web_is_in_reach() {
    let client = client(Reach::Public);
    for host in [
        "8.8.8.8",
        "192.0.1.1",
        "100.128.0.1",
        "[2606:4700::1111]",
        "[::ffff:8.8.8.8]",
    ] {
        let checked = client.check(&format!("https://{host}/")).await;
        assert_eq!(checked, Ok(()), "{host}");
    }
}

#[tokio::test]
async fn only_pages_have_addresses() {
    let client = client(Reach::Anywhere);
    for url in [
        "",
        "a page",
        "ftp://a.example/",
        "file:///etc/passwd",
        "data:text/plain,a",
    ] {
        assert_eq!(
            client.check(url).await,
            Err(WebError::NotAnAddress),
            "{url}"
        );
    }
}

#[tokio::test]
async fn a_name_without_addresses_is_not_tried() {
    let checked = client(Reach::Public).check("http://nowhere.invalid/").await;
    let host = "nowhere.invalid".to_owned();
    assert_eq!(checked, Err(WebError::Unresolved { host }));
}

#[tokio::test]
async fn a_connection_asks_for_the_address_once_more() {
    // As if the name had been harmless when it was checked.
    let shared = Arc::clone(&client(Reach::Public).shared);
    let http = shared.client().await.unwrap();
    let server = ScriptedModel::start(Script::new()).await;
    let url = format!("http://localhost:{}/", server.address().port());
    let error = http.get(url).send().await.unwrap_err();
    let host = "localhost".to_owned();
    assert_eq!(network(error), WebError::Blocked { host });
    assert_eq!(server.requests().len(), 0);
}

fn redirect(target: &str) -> Reply {
    Reply {
        status: 302,
        ..Reply::new().header("location", target)
    }
}

#[tokio::test]
async fn a_page_comes_with_what_is_known_about_it() {
    let page = Reply::raw("Text/HTML; charset=\"UTF-8\"", "<p>hi").when_path("/b");
    let server = ScriptedModel::start(Script::new().reply(redirect("/b?c=d")).reply(page)).await;
    let page = client(Reach::Anywhere).get(&server.url()).await.unwrap();
    assert_eq!(page.url, format!("{}/b?c=d", server.url()));
    let known = (page.status, page.content_type, page.charset, page.body);
    expect![[r#"(200, Some("text/html"), Some("utf-8"), [60, 112, 62, 104, 105])"#]]
        .assert_eq(&format!("{known:?}"));
}

#[tokio::test]
async fn redirects_come_to_an_end() {
    let server = ScriptedModel::start(Script::new().reply(redirect("/").always())).await;
    let page = client(Reach::Anywhere).get(&server.url()).await;
    assert_eq!(page, Err(WebError::TooManyRedirects { limit: 2 }));
}

#[tokio::test]
async fn a_redirect_is_checked_like_an_address() {
    let server = ScriptedModel::start(Script::new().reply(redirect("file:///etc/passwd"))).await;
    let page = client(Reach::Anywhere).get(&server.url()).await;
    assert_eq!(page, Err(WebError::NotAnAddress));
}

#[tokio::test]
async fn a_long_page_is_not_read_to_its_end() {
    let long = Reply::raw("text/plain", vec![b'a'; 1_001]);
    let server = ScriptedModel::start(Script::new().reply(long)).await;
    let page = client(Reach::Anywhere).get(&server.url()).await;
    assert_eq!(page, Err(WebError::TooLarge { limit: 1_000 }));
}

#[tokio::test(start_paused = true)]
async fn a_page_that_does_not_come_is_given_up() {
    let never = Reply::text("never").gate("never");
    let server = ScriptedModel::start(Script::new().reply(never)).await;
    let page = client(Reach::Anywhere).get(&server.url()).await;
    let limit = Duration::from_secs(10);
    assert_eq!(page, Err(WebError::TooSlow { limit }));
}

proptest! {
    #[test]
    fn an_address_in_another_dress_is_no_more_public(bytes: [u8; 4]) {
        let plain = std::net::Ipv4Addr::from(bytes);
        let mapped = plain.to_ipv6_mapped();
        let reach = Reach::Public;
        prop_assert_eq!(reach.admits(plain.into()), reach.admits(mapped.into()));
    }
}
