//! Signing in at a server behind a lock, and what servers may try on the way.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use pollux_agent::{Offering, ServerOrder, ServerStanding, Servers};
use pollux_mcp::connect::{
    Authorization, Consent, Credentials, Invitation, OAuth, Occasion, Person, ServerConfig, Shown,
    SignedIn, Token, Vault,
};
use pollux_model::Http;
use pollux_testkit::ScriptedAuthorization;
use pollux_testkit::scripted_authorization::{Answered, Asked, GOOD_TOKEN, authorize, metadata};
use serde_json::{Value, json};
use tokio::sync::watch;
use url::Url;

use crate::support::{World, in_time, standing};

/// Agrees or not, and signs in at once.
pub(crate) struct Somebody {
    consent: Consent,
    /// Brings this along instead of what the page says.
    forged: Option<&'static str>,
    invited: Mutex<Vec<Invitation>>,
    shown: Mutex<Vec<Url>>,
}

impl Somebody {
    pub(crate) fn who(consent: Consent) -> Arc<Self> {
        Arc::new(Self {
            consent,
            forged: None,
            invited: Mutex::default(),
            shown: Mutex::default(),
        })
    }
}

async fn get(url: &Url) -> reqwest::Response {
    let client = Http::default().client_for(url).await.unwrap();
    client.get(url.clone()).send().await.unwrap()
}

impl Person for Somebody {
    fn agrees<'a>(&'a self, invitation: &'a Invitation) -> BoxFuture<'a, Consent> {
        self.invited.lock().unwrap().push(invitation.clone());
        async { self.consent }.boxed()
    }

    fn show<'a>(&'a self, _: &'a Invitation, page: &'a Url) -> BoxFuture<'a, Shown> {
        self.shown.lock().unwrap().push(page.clone());
        async {
            let answer = get(page).await;
            let back = answer.headers().get("location").unwrap().to_str().unwrap();
            let back = page.join(back).unwrap();
            if let Some(forged) = self.forged {
                let mut strange = back.clone();
                strange.set_query(Some(forged));
                assert_eq!(get(&strange).await.status(), 400);
            }
            assert_eq!(get(&back).await.status(), 200);
            Shown::Yes
        }
        .boxed()
    }
}

#[derive(Default)]
pub(crate) struct Memory(Mutex<HashMap<String, Credentials>>);

impl Memory {
    pub(crate) fn get(&self, server: &str) -> Option<Credentials> {
        self.0.lock().unwrap().get(server).cloned()
    }
}

impl Vault for Memory {
    fn load(&self, server: &str) -> Result<Option<Credentials>, String> {
        Ok(self.get(server))
    }

    fn save(&self, credentials: &Credentials) -> Result<(), String> {
        let name = credentials.server_name.clone();
        self.0.lock().unwrap().insert(name, credentials.clone());
        Ok(())
    }

    fn delete(&self, server: &str) -> Result<(), String> {
        self.0.lock().unwrap().remove(server);
        Ok(())
    }
}

struct Lock {
    server: ScriptedAuthorization,
    world: World,
    person: Arc<Somebody>,
    vault: Arc<Memory>,
}

impl Lock {
    async fn new(
        person: Arc<Somebody>,
        oauth: Value,
        instead: impl Fn(&Asked, &str) -> Option<Answered> + Send + Sync + 'static,
    ) -> Self {
        Self::with(person, oauth, |_| None, instead).await
    }

    async fn with(
        person: Arc<Somebody>,
        oauth: Value,
        stored: impl Fn(&str) -> Option<Credentials>,
        instead: impl Fn(&Asked, &str) -> Option<Answered> + Send + Sync + 'static,
    ) -> Self {
        let server = ScriptedAuthorization::start(instead).await;
        let vault = Arc::new(Memory::default());
        if let Some(stored) = stored(&server.base()) {
            vault.save(&stored).unwrap();
        }
        let by = OAuth::new(Http::default(), vault.clone(), person.clone(), None);
        let entry = json!({ "url": server.url(), "type": "http", "oauth": oauth });
        let folder = tempfile::tempdir().unwrap();
        let world = World::signing_in_by(Arc::new(by), folder, json!({ "s": entry }));
        Self {
            server,
            world,
            person,
            vault,
        }
    }

    async fn turned_away(&self) {
        let is_so =
            |offering: &Offering| standing(offering, "s") == ServerStanding::NeedsAuthentication;
        self.world.until(is_so).await;
    }

    async fn sign_in(&self) -> String {
        let order = ServerOrder::Authenticate(Some("s"));
        in_time(self.world.connections.order(order)).await
    }

    /// Turned away, signing in comes to nothing, for this reason; no token was asked for.
    async fn fails(&self) -> String {
        self.turned_away().await;
        let told = self.sign_in().await;
        assert_eq!(self.server.asked_at("/token").len(), 0);
        assert_eq!(self.vault.get("s"), None);
        told.replace(&self.server.base(), "BASE")
    }
}

fn now() -> u64 {
    let age = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    u64::try_from(age.as_millis()).unwrap()
}

pub(crate) fn stored(base: &str, access_token: &str, lasts: u64) -> Credentials {
    Credentials {
        server_name: "s".to_owned(),
        token: Token {
            access_token: access_token.to_owned(),
            refresh_token: Some("again".to_owned()),
            expires_at: Some(now() + lasts),
            token_type: "Bearer".to_owned(),
            scope: None,
        },
        client_id: Some("us".to_owned()),
        client_secret: None,
        token_url: Some(format!("{base}/token")),
        mcp_server_url: Some(format!("{base}/mcp")),
        updated_at: 0,
    }
}

pub(crate) const MINUTE: u64 = 60_000;

#[tokio::test]
async fn mcp_client_15_nothing_opens_before_somebody_says_so_and_then_it_connects() {
    let lock = Lock::new(Somebody::who(Consent::Given), json!({}), |_, _| None).await;
    lock.turned_away().await;
    assert_eq!(lock.person.invited.lock().unwrap().len(), 0);
    assert_eq!(lock.server.asked_at("/register").len(), 0);
    assert_eq!(lock.sign_in().await, "You are signed in at `s`.");
    lock.world.connected("s").await;
    let text = lock.world.text("s", "t", json!({})).await;
    assert_eq!(text, "from behind the lock");
    let invitation = Invitation {
        server: "s".to_owned(),
        host: "127.0.0.1".to_owned(),
        occasion: Occasion::Asked,
    };
    assert_eq!(*lock.person.invited.lock().unwrap(), [invitation]);
    let page = lock.person.shown.lock().unwrap()[0].clone();
    let page: HashMap<_, _> = page.query_pairs().into_owned().collect();
    assert_eq!(page["code_challenge_method"], "S256");
    assert_eq!(page["resource"], lock.server.url());
    let kept = lock.vault.get("s").unwrap();
    assert_eq!(kept.token.access_token, GOOD_TOKEN);
    assert_eq!(kept.token.refresh_token.as_deref(), Some("again"));
    assert_eq!(kept.client_id.as_deref(), Some("us"));
    assert_eq!(
        kept.token_url,
        Some(format!("{}/token", lock.server.base()))
    );
    assert_eq!(kept.mcp_server_url, Some(lock.server.url()));
}

#[tokio::test]
async fn a_server_that_is_set_to_sign_in_does_so_by_itself() {
    let oauth = json!({ "enabled": true, "audiences": ["a", "b"], "scopes": ["x"] });
    let lock = Lock::new(Somebody::who(Consent::Given), oauth, |_, _| None).await;
    lock.world.connected("s").await;
    let invited = lock.person.invited.lock().unwrap()[0].occasion;
    assert_eq!(invited, Occasion::Automatic);
    let page = lock.person.shown.lock().unwrap()[0].clone();
    let page: HashMap<_, _> = page.query_pairs().into_owned().collect();
    assert_eq!(
        (page["audience"].as_str(), page["scope"].as_str()),
        ("a b", "x")
    );
}

#[tokio::test]
async fn whoever_says_no_is_asked_once_and_nothing_is_registered() {
    let oauth = json!({ "enabled": true });
    let lock = Lock::new(Somebody::who(Consent::Refused), oauth, |_, _| None).await;
    lock.turned_away().await;
    // It is tried again and again; nobody is asked again.
    in_time(async {
        while lock.server.asked_at("/mcp").len() < 6 {
            tokio::task::yield_now().await;
        }
    })
    .await;
    assert_eq!(lock.person.invited.lock().unwrap().len(), 1);
    assert_eq!(lock.server.asked_at("/register").len(), 0);
}

#[tokio::test]
async fn a_server_that_is_never_satisfied_is_given_up() {
    let lock = Lock::new(
        Somebody::who(Consent::Given),
        json!({ "enabled": true }),
        |asked, _| {
            let is_lock = asked.path() == "/mcp";
            is_lock.then(|| Answered::status("401 Unauthorized"))
        },
    )
    .await;
    lock.turned_away().await;
    assert_eq!(lock.person.shown.lock().unwrap().len(), 3);
}

#[tokio::test]
async fn mcp_client_16_metadata_about_another_resource_ends_it() {
    let instead = |asked: &Asked, base: &str| {
        let page =
            json!({ "resource": "https://other.example/mcp", "authorization_servers": [base] });
        let is_page = asked.path().contains("oauth-protected-resource");
        is_page.then(|| Answered::json(&page))
    };
    let lock = Lock::new(Somebody::who(Consent::Given), json!({}), instead).await;
    let told = lock.fails().await;
    assert!(
        told.contains("the metadata is about another resource, `https://other.example/mcp`"),
        "{told}"
    );
    assert_eq!(lock.person.invited.lock().unwrap().len(), 0);
}

#[tokio::test]
async fn mcp_client_17_a_token_with_four_minutes_left_is_renewed_before_it_is_used() {
    let lock = Lock::with(
        Somebody::who(Consent::Refused),
        json!({}),
        |base| Some(stored(base, "old-token", 4 * MINUTE)),
        |_, _| None,
    )
    .await;
    lock.world.connected("s").await;
    let asked = lock.server.asked();
    assert_eq!(asked[0].path(), "/token");
    assert_eq!(asked[0].field("grant_type").unwrap(), "refresh_token");
    assert_eq!(asked[0].field("refresh_token").unwrap(), "again");
    assert_eq!(asked[0].field("client_id").unwrap(), "us");
    let tokens = asked
        .iter()
        .filter_map(|asked| asked.headers.get("authorization"));
    for token in tokens {
        assert_eq!(*token, format!("Bearer {GOOD_TOKEN}"));
    }
    assert_eq!(lock.vault.get("s").unwrap().token.access_token, GOOD_TOKEN);
}

#[tokio::test]
async fn mcp_client_17_a_refresh_that_is_refused_takes_the_token_along() {
    let lock = Lock::with(
        Somebody::who(Consent::Refused),
        json!({}),
        |base| Some(stored(base, GOOD_TOKEN, 4 * MINUTE)),
        |asked, _| {
            let refused = json!({ "error": "invalid_grant" });
            let refused = Answered {
                status: "400 Bad Request",
                ..Answered::json(&refused)
            };
            (asked.path() == "/token").then_some(refused)
        },
    )
    .await;
    lock.turned_away().await;
    assert_eq!(lock.vault.get("s"), None);
}

#[tokio::test]
async fn a_refresh_that_fails_for_now_leaves_the_token_to_its_end() {
    // The last two are about the asking and not about the token, although their numbers look like a refusal.
    for status in [
        "503 Service Unavailable",
        "429 Too Many Requests",
        "408 Request Timeout",
    ] {
        let lock = Lock::with(
            Somebody::who(Consent::Refused),
            json!({}),
            |base| Some(stored(base, GOOD_TOKEN, 4 * MINUTE)),
            move |asked, _| {
                let busy = Answered::status(status);
                (asked.path() == "/token").then_some(busy)
            },
        )
        .await;
        lock.world.connected("s").await;
        assert!(lock.vault.get("s").is_some(), "{status}");
    }
}

fn refused() -> Answered {
    Answered::status("401 Unauthorized")
}

#[tokio::test]
async fn a_token_that_is_refused_before_its_time_is_renewed_by_itself() {
    let lock = Lock::with(
        Somebody::who(Consent::Refused),
        json!({}),
        |base| Some(stored(base, "revoked", 60 * MINUTE)),
        |_, _| None,
    )
    .await;
    lock.world.connected("s").await;
    let renewals = lock.server.asked_at("/token");
    assert_eq!(renewals.len(), 1);
    assert_eq!(renewals[0].field("grant_type").unwrap(), "refresh_token");
    assert_eq!(lock.person.invited.lock().unwrap().len(), 0);
    assert_eq!(lock.vault.get("s").unwrap().token.access_token, GOOD_TOKEN);
}

#[tokio::test]
async fn a_token_that_is_refused_in_the_midst_is_renewed_and_the_call_repeated() {
    let instead = |asked: &Asked, _: &str| match asked.path() {
        "/token" => Some(Answered::json(&json!({ "access_token": "newer" }))),
        "/mcp" if asked.body.contains("tools/call") => {
            let token = asked.headers.get("authorization").unwrap();
            if token != "Bearer newer" {
                return Some(refused());
            }
            let message: Value = serde_json::from_str(&asked.body).unwrap();
            let result = json!({ "content": [{ "type": "text", "text": "renewed" }] });
            let answer = json!({ "jsonrpc": "2.0", "id": message["id"], "result": result });
            Some(Answered::json(&answer))
        }
        _ => None,
    };
    let lock = Lock::with(
        Somebody::who(Consent::Refused),
        json!({}),
        |base| Some(stored(base, GOOD_TOKEN, 60 * MINUTE)),
        instead,
    )
    .await;
    lock.world.connected("s").await;
    assert_eq!(lock.world.text("s", "t", json!({})).await, "renewed");
    assert_eq!(lock.server.asked_at("/token").len(), 1);
    let kept = lock.vault.get("s").unwrap().token;
    assert_eq!(kept.access_token, "newer");
    // Whoever renews a token without giving out another refresh token means the old one.
    assert_eq!(kept.refresh_token.as_deref(), Some("again"));
}

#[tokio::test]
async fn whoever_is_never_satisfied_is_given_one_new_token_and_no_more() {
    let lock = Lock::with(
        Somebody::who(Consent::Refused),
        json!({}),
        |base| Some(stored(base, "revoked", 60 * MINUTE)),
        |asked, _| (asked.path() == "/mcp").then(refused),
    )
    .await;
    lock.turned_away().await;
    in_time(async {
        while lock.server.asked_at("/mcp").len() < 8 {
            tokio::task::yield_now().await;
        }
    })
    .await;
    assert_eq!(lock.server.asked_at("/token").len(), 1);
}

#[tokio::test]
async fn a_token_that_another_program_has_renewed_is_taken_as_it_is() {
    let server = ScriptedAuthorization::start(|_, _| None).await;
    let vault = Arc::new(Memory::default());
    let store = |token| vault.save(&stored(&server.base(), token, 60 * MINUTE));
    store("first").unwrap();
    let person = Somebody::who(Consent::Refused);
    let oauth = OAuth::new(Http::default(), vault.clone(), person, None);
    let config = ServerConfig::parse("s", &json!({ "url": server.url() }));
    let config = config.unwrap().unwrap();
    assert_eq!(oauth.token(&config).await.as_deref(), Some("first"));
    store("second").unwrap();
    let renewed = oauth.renewed(&config, "first").await;
    assert_eq!(renewed.as_deref(), Some("second"));
    assert_eq!(server.asked_at("/token").len(), 0);
}

/// Counts how often it is told of a refusal.
#[derive(Default)]
struct Counting(AtomicUsize);

impl Authorization for Counting {
    fn token<'a>(&'a self, _: &'a ServerConfig) -> BoxFuture<'a, Option<String>> {
        async { None }.boxed()
    }

    fn renewed<'a>(&'a self, _: &'a ServerConfig, _: &'a str) -> BoxFuture<'a, Option<String>> {
        async { None }.boxed()
    }

    fn refused<'a>(&'a self, _: &'a ServerConfig, _: Option<&'a str>) -> BoxFuture<'a, SignedIn> {
        self.0.fetch_add(1, Ordering::SeqCst);
        async { SignedIn::No }.boxed()
    }

    fn sign_in<'a>(&'a self, _: Option<&'a ServerConfig>) -> BoxFuture<'a, String> {
        async { String::new() }.boxed()
    }

    fn sign_out<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<String, String>> {
        async { Ok(String::new()) }.boxed()
    }

    fn news(&self) -> watch::Receiver<u64> {
        watch::Sender::new(0).subscribe()
    }
}

#[tokio::test]
async fn whoever_is_turned_away_while_connecting_hears_it_once() {
    let server = ScriptedAuthorization::start(|_, _| None).await;
    let counting = Arc::new(Counting::default());
    let entry = json!({ "url": server.url(), "type": "http" });
    let folder = tempfile::tempdir().unwrap();
    let world = World::signing_in_by(counting.clone(), folder, json!({ "s": entry }));
    let is_so =
        |offering: &Offering| standing(offering, "s") == ServerStanding::NeedsAuthentication;
    world.until(is_so).await;
    // Every refusal was an answer to one attempt, and attempts are counted last.
    let told = counting.0.load(Ordering::SeqCst);
    let attempts = server.asked_at("/mcp").len();
    assert!(told <= attempts, "{told} of {attempts}");
}

#[tokio::test]
async fn a_server_that_knows_us_by_a_secret_hears_it_again() {
    let instead = |asked: &Asked, _: &str| {
        let registered = json!({ "client_id": "us", "client_secret": "s3", "redirect_uris": [] });
        (asked.path() == "/register").then(|| Answered::json(&registered))
    };
    let oauth = json!({ "enabled": true });
    let lock = Lock::new(Somebody::who(Consent::Given), oauth, instead).await;
    lock.world.connected("s").await;
    let kept = lock.vault.get("s").unwrap();
    assert_eq!(kept.client_secret.as_deref(), Some("s3"));

    let renewed = |oauth: Value| async {
        let lock = Lock::with(
            Somebody::who(Consent::Refused),
            oauth,
            |base| {
                Some(Credentials {
                    client_secret: Some("s3".to_owned()),
                    ..stored(base, "old", 4 * MINUTE)
                })
            },
            |_, _| None,
        )
        .await;
        lock.world.connected("s").await;
        lock.server.asked_at("/token")[0].field("client_secret")
    };
    assert_eq!(renewed(json!({})).await.as_deref(), Some("s3"));
    // It is not the secret of a client that the settings name.
    assert_eq!(renewed(json!({ "clientId": "other" })).await, None);
}

#[tokio::test]
async fn a_program_signs_in_by_itself_where_it_is_to() {
    let oauth =
        json!({ "grantType": "client_credentials", "clientId": "me", "clientSecret": "s3" });
    let lock = Lock::new(Somebody::who(Consent::Refused), oauth, |_, _| None).await;
    lock.world.connected("s").await;
    assert_eq!(lock.person.invited.lock().unwrap().len(), 0);
    let asked = lock.server.asked_at("/token");
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].field("grant_type").unwrap(), "client_credentials");
    assert_eq!(asked[0].field("client_secret").unwrap(), "s3");
    assert_eq!(asked[0].field("resource").unwrap(), lock.server.url());

    let oauth = json!({ "grantType": "client_credentials", "clientId": "me" });
    let lock = Lock::new(Somebody::who(Consent::Given), oauth, |_, _| None).await;
    let told = lock.fails().await;
    assert!(
        told.contains("needs `clientId` and `clientSecret`"),
        "{told}"
    );
}

#[tokio::test]
async fn whoever_signs_out_is_a_stranger_again() {
    let lock = Lock::with(
        Somebody::who(Consent::Refused),
        json!({}),
        |base| Some(stored(base, GOOD_TOKEN, 60 * MINUTE)),
        |_, _| None,
    )
    .await;
    lock.world.connected("s").await;
    let out = || lock.world.connections.order(ServerOrder::SignOut("s"));
    assert_eq!(in_time(out()).await, "You are signed out at `s`.");
    assert_eq!(lock.vault.get("s"), None);
    lock.turned_away().await;
    assert_eq!(in_time(out()).await, "You were not signed in at `s`.");
}

#[tokio::test]
async fn a_token_that_comes_as_a_form_without_a_type_is_a_token() {
    let instead = |asked: &Asked, _: &str| {
        let form = Answered {
            body: format!("access_token={GOOD_TOKEN}&expires_in=3600"),
            ..Answered::status("200 OK").with("content-type", "application/x-www-form-urlencoded")
        };
        (asked.path() == "/token").then_some(form)
    };
    let oauth = json!({ "enabled": true });
    let lock = Lock::new(Somebody::who(Consent::Given), oauth, instead).await;
    lock.world.connected("s").await;
    assert_eq!(lock.vault.get("s").unwrap().token.token_type, "Bearer");
}

#[tokio::test]
async fn a_token_for_another_address_stays_here() {
    let lock = Lock::with(
        Somebody::who(Consent::Refused),
        json!({}),
        |base| {
            Some(Credentials {
                mcp_server_url: Some("https://other.example/mcp".to_owned()),
                ..stored(base, GOOD_TOKEN, 60 * MINUTE)
            })
        },
        |_, _| None,
    )
    .await;
    lock.turned_away().await;
    let asked = lock.server.asked();
    assert!(
        asked
            .iter()
            .all(|asked| !asked.headers.contains_key("authorization"))
    );
}

/// What comes of a server that names this in its metadata.
async fn with_metadata(field: &'static str, value: &'static str) -> String {
    let instead = move |asked: &Asked, base: &str| {
        let mut page = metadata(base);
        page[field] = json!(value);
        let is_page = asked.path() == "/.well-known/oauth-authorization-server";
        is_page.then(|| Answered::json(&page))
    };
    let lock = Lock::new(Somebody::who(Consent::Given), json!({}), instead).await;
    lock.fails().await
}

#[tokio::test]
async fn attack_a_server_cannot_send_us_into_the_network_around_us() {
    for (field, value, why) in [
        (
            "token_endpoint",
            "https://10.0.0.1/token",
            "10.0.0.1 is not on the public web",
        ),
        (
            "token_endpoint",
            "http://example.com/t",
            "example.com is not reached by https",
        ),
        (
            "authorization_endpoint",
            "http://169.254.169.254/x",
            "169.254.169.254 is not on the public web",
        ),
        (
            "authorization_endpoint",
            "javascript:alert(1)",
            "is no address",
        ),
        (
            "authorization_endpoint",
            "file:///etc/passwd",
            "is no address",
        ),
        (
            "registration_endpoint",
            "http://192.168.1.1/admin",
            "192.168.1.1 is not on the public web",
        ),
        ("issuer", "https://other.example", "issuer mismatch"),
    ] {
        let told = with_metadata(field, value).await;
        assert!(told.contains(why), "{field} {value}: {told}");
    }
}

#[tokio::test]
async fn attack_metadata_of_another_origin_is_not_read() {
    let other = ScriptedAuthorization::start(|_, _| None).await;
    let page = format!("{}/.well-known/oauth-protected-resource/mcp", other.base());
    let challenge = format!("Bearer resource_metadata=\"{page}\"");
    let instead = move |asked: &Asked, _: &str| {
        let refused =
            Answered::status("401 Unauthorized").with("www-authenticate", challenge.clone());
        (asked.path() == "/mcp").then_some(refused)
    };
    let lock = Lock::new(Somebody::who(Consent::Given), json!({}), instead).await;
    let told = lock.fails().await;
    assert!(
        told.contains("the metadata is said to be on another server"),
        "{told}"
    );
    assert_eq!(other.asked().len(), 0);
}

/// What comes of a sign-in whose answer brings this along, at a server that promises an issuer or does not.
async fn with_issuer(promised: bool, brought: Option<&'static str>) -> (String, usize) {
    let instead = move |asked: &Asked, base: &str| match asked.path() {
        "/.well-known/oauth-authorization-server" => {
            let mut page = metadata(base);
            page["authorization_response_iss_parameter_supported"] = json!(promised);
            Some(Answered::json(&page))
        }
        "/authorize" => {
            let brought = brought.map(|brought| brought.replace("BASE", base));
            let more: Vec<(&str, &str)> = brought.iter().map(|iss| ("iss", iss.as_str())).collect();
            Some(authorize(asked, &more))
        }
        _ => None,
    };
    let lock = Lock::new(Somebody::who(Consent::Given), json!({}), instead).await;
    lock.turned_away().await;
    let told = lock.sign_in().await.replace(&lock.server.base(), "BASE");
    (told, lock.server.asked_at("/token").len())
}

#[tokio::test]
async fn attack_an_answer_of_another_issuer_is_not_redeemed() {
    let fine = ("You are signed in at `s`.".to_owned(), 1);
    assert_eq!(with_issuer(true, Some("BASE")).await, fine);
    assert_eq!(with_issuer(false, Some("BASE/")).await, fine);
    assert_eq!(with_issuer(false, None).await, fine);
    let (told, redeemed) = with_issuer(false, Some("https://evil.example")).await;
    assert!(
        told.contains("comes from `https://evil.example` and not from `BASE`"),
        "{told}"
    );
    assert_eq!(redeemed, 0);
    let (told, redeemed) = with_issuer(true, None).await;
    assert!(told.contains("does not say who it is from"), "{told}");
    assert_eq!(redeemed, 0);
}

#[tokio::test]
async fn attack_a_code_that_somebody_else_brings_is_not_taken() {
    let person = Arc::new(Somebody {
        consent: Consent::Given,
        forged: Some("code=evil&state=guessed"),
        invited: Mutex::default(),
        shown: Mutex::default(),
    });
    let lock = Lock::new(person, json!({ "enabled": true }), |_, _| None).await;
    lock.world.connected("s").await;
    let redeemed = lock.server.asked_at("/token");
    assert_eq!(redeemed.len(), 1);
    assert_eq!(redeemed[0].field("code").unwrap(), "the-code");
    assert!(redeemed[0].field("code_verifier").is_some());
}

#[tokio::test]
async fn attack_a_token_request_is_not_redirected_and_long_answers_are_cut_off() {
    let elsewhere = ScriptedAuthorization::start(|_, _| None).await;
    let target = format!("{}/token", elsewhere.base());
    let lock = Lock::new(Somebody::who(Consent::Given), json!({}), move |asked, _| {
        let moved = Answered::status("307 Temporary Redirect").with("location", target.clone());
        (asked.path() == "/token").then_some(moved)
    })
    .await;
    lock.turned_away().await;
    let told = lock.sign_in().await;
    assert!(told.starts_with("You are not signed in at `s`"), "{told}");
    assert!(!told.contains("the-code"), "{told}");
    assert_eq!(elsewhere.asked().len(), 0);

    let lock = Lock::new(Somebody::who(Consent::Given), json!({}), |asked, _| {
        let long = Answered {
            body: "x".repeat(2 * 1024 * 1024),
            ..Answered::status("200 OK")
        };
        (asked.path() == "/.well-known/oauth-authorization-server").then_some(long)
    })
    .await;
    let told = lock.fails().await;
    assert!(told.contains("longer than"), "{told}");
}
