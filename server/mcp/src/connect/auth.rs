//! Signing in at servers, by OAuth.
//!
//! The protocol is the library's: discovery, registration, PKCE, the exchange. Here is what it leaves open: who may be
//! talked to on a stranger's word, how a person is asked and brought to the page, where the answer arrives, and what
//! becomes of tokens.
//!
//! # Invariants
//!
//! - Every request of a sign-in goes through [`requests`], which looks at each address before it is asked.
//! - Nothing is opened before the person has agreed.
//! - A token goes to the address it was given out for, and nowhere else.
//! - Secrets have no `Debug`, and are in no error.

mod addresses;
mod answers;
mod callback;
mod credentials;
mod flow;
mod issuer;
mod person;
mod refresh;
mod requests;
mod settings;
mod signature;
mod signed;
mod tries;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use pollux_model::Http;
use tokio::sync::watch;
use url::Url;

use super::authorization::{Authorization, SignedIn};
use super::google::Google;
use super::{Provider, Reach, ServerConfig};

pub(super) use credentials::now;
pub use credentials::{Credentials, Token, Vault};
pub use person::{Consent, Invitation, Occasion, Person, Shown};

pub(super) use signature::{Moment, Refusal, Signature};
pub(super) use signed::SignedClient;

use flow::{AuthFailure, Discovered, Visit};
use refresh::Refreshed;
use settings::{GrantType, OAuthSettings};
use tries::Tries;

/// Signs in at servers by OAuth, and keeps what comes of it.
pub struct OAuth {
    shared: Arc<Shared>,
}

struct Shared {
    http: Http,
    vault: Arc<dyn Vault>,
    person: Arc<dyn Person>,
    callback_port: Option<u16>,
    google: Option<Google>,
    /// Two pages at once would only confuse whoever sits in front of them.
    one_at_a_time: tokio::sync::Mutex<()>,
    /// Storing may take long. Whoever signs out meanwhile comes after it, and nothing is left behind.
    storing: tokio::sync::Mutex<()>,
    /// A refresh token may be good for one use.
    refreshing: tokio::sync::Mutex<()>,
    known: Mutex<Known>,
    news: watch::Sender<u64>,
}

#[derive(Default)]
struct Known {
    /// What the vault has said, so that it is not asked before every request. A keychain is a program of its own.
    credentials: HashMap<String, Option<Credentials>>,
    /// Who has turned us away, and in which words.
    refusals: HashMap<String, (ServerConfig, Option<String>)>,
    tries: HashMap<String, Tries>,
}

impl OAuth {
    /// `callback_port`: where the browser comes back to; any free one if there is none.
    pub fn new(
        http: Http,
        vault: Arc<dyn Vault>,
        person: Arc<dyn Person>,
        callback_port: Option<u16>,
    ) -> Self {
        Self {
            shared: Arc::new(Shared {
                http,
                vault,
                person,
                callback_port,
                google: None,
                one_at_a_time: tokio::sync::Mutex::default(),
                storing: tokio::sync::Mutex::default(),
                refreshing: tokio::sync::Mutex::default(),
                known: Mutex::default(),
                news: watch::Sender::new(0),
            }),
        }
    }

    /// Servers whose settings say so are asked as somebody whom Google knows.
    pub fn with_google(mut self, google: Google) -> Self {
        if let Some(shared) = Arc::get_mut(&mut self.shared) {
            shared.google = Some(google);
        }
        self
    }
}

impl Authorization for OAuth {
    fn token<'a>(&'a self, server: &'a ServerConfig) -> BoxFuture<'a, Option<String>> {
        async move { self.shared.token(server).await }.boxed()
    }

    fn renewed<'a>(
        &'a self,
        server: &'a ServerConfig,
        refused: &'a str,
    ) -> BoxFuture<'a, Option<String>> {
        async move { self.shared.renewed(server, refused).await }.boxed()
    }

    fn refused<'a>(
        &'a self,
        server: &'a ServerConfig,
        challenge: Option<&'a str>,
    ) -> BoxFuture<'a, SignedIn> {
        async move { self.shared.refused(server, challenge).await }.boxed()
    }

    fn sign_in<'a>(&'a self, server: Option<&'a ServerConfig>) -> BoxFuture<'a, String> {
        async move {
            match server {
                Some(server) => self.shared.sign_in(server).await,
                None => self.shared.sign_in_where_wanted().await,
            }
        }
        .boxed()
    }

    fn sign_out<'a>(&'a self, server: &'a str) -> BoxFuture<'a, Result<String, String>> {
        async move { self.shared.sign_out(server).await }.boxed()
    }

    fn news(&self) -> watch::Receiver<u64> {
        self.shared.news.subscribe()
    }
}

/// Where a server is, if it is somewhere one can sign in.
fn address(server: &ServerConfig) -> Option<Url> {
    match &server.reach {
        Reach::Program { .. } => None,
        Reach::Http { url, .. } | Reach::Sse { url, .. } => Url::parse(url).ok(),
    }
}

impl Shared {
    /// Who gives out tokens for a server without anybody signing in.
    fn google(&self, server: &ServerConfig) -> Option<&Google> {
        match server.provider {
            Provider::Discovery => None,
            Provider::GoogleCredentials | Provider::Impersonation { .. } => self.google.as_ref(),
        }
    }

    async fn token(self: &Arc<Self>, server: &ServerConfig) -> Option<String> {
        if let Some(google) = self.google(server) {
            return google.token(server).await;
        }
        let url = address(server)?;
        let credentials = self.credentials(&server.name).await?;
        if !credentials.is_for(&url) {
            tracing::warn!(server = server.name, "its token is for another address");
            return None;
        }
        if !credentials.expires_soon(credentials::now()) {
            return Some(credentials.token.access_token);
        }
        let _alone = self.refreshing.lock().await;
        // Somebody may have been faster.
        let credentials = self.credentials(&server.name).await?;
        if !credentials.expires_soon(credentials::now()) {
            return Some(credentials.token.access_token);
        }
        match self.refresh(server, &url, &credentials).await {
            Refreshed::New(fresh) => Some(fresh.token.access_token),
            Refreshed::Refused => None,
            // It may still be good for a while.
            Refreshed::NotNow => {
                let is_over = credentials.is_over(credentials::now());
                (!is_over).then_some(credentials.token.access_token)
            }
        }
    }

    async fn renewed(self: &Arc<Self>, server: &ServerConfig, refused: &str) -> Option<String> {
        if let Some(google) = self.google(server) {
            return google.renewed(server, refused).await;
        }
        let url = address(server)?;
        let _alone = self.refreshing.lock().await;
        // Another program may have renewed it, so what is known here does not count.
        self.lock().credentials.remove(&server.name);
        let credentials = self.credentials(&server.name).await?;
        if !credentials.is_for(&url) {
            return None;
        }
        if credentials.token.access_token != refused {
            return Some(credentials.token.access_token);
        }
        let has_refresh = credentials.token.refresh_token.is_some();
        if !has_refresh || credentials.is_young(credentials::now()) {
            return None;
        }
        match self.refresh(server, &url, &credentials).await {
            Refreshed::New(fresh) => Some(fresh.token.access_token),
            Refreshed::Refused | Refreshed::NotNow => None,
        }
    }

    /// Gets new credentials and keeps them, or deletes what is of no use any more.
    async fn refresh(
        self: &Arc<Self>,
        server: &ServerConfig,
        url: &Url,
        old: &Credentials,
    ) -> Refreshed {
        let settings = OAuthSettings::of(server);
        let refreshed = refresh::refresh(&self.http, url, &settings, old).await;
        match &refreshed {
            Refreshed::New(fresh) => self.keep((**fresh).clone()).await,
            Refreshed::Refused => {
                tracing::warn!(server = server.name, "its token cannot be renewed");
                self.forget(&server.name).await;
            }
            Refreshed::NotNow => {}
        }
        refreshed
    }

    async fn refused(self: &Arc<Self>, server: &ServerConfig, challenge: Option<&str>) -> SignedIn {
        {
            let mut known = self.lock();
            let refusal = (server.clone(), challenge.map(str::to_owned));
            known.refusals.insert(server.name.clone(), refusal);
            // Somebody else may have signed in meanwhile: the vault is asked anew.
            known.credentials.remove(&server.name);
        }
        let settings = OAuthSettings::of(server);
        let is_wanted = settings.enabled || settings.grant_type == GrantType::ClientCredentials;
        if !is_wanted {
            return SignedIn::No;
        }
        let may_try = self
            .lock()
            .tries
            .entry(server.name.clone())
            .or_default()
            .take();
        if !may_try {
            return SignedIn::No;
        }
        let _alone = self.one_at_a_time.lock().await;
        if settings.grant_type == GrantType::ClientCredentials {
            return match self.sign_in_as_client(server).await {
                Ok(()) => SignedIn::Yes,
                Err(error) => {
                    tracing::warn!(server = server.name, %error, "we are not signed in");
                    SignedIn::No
                }
            };
        }
        match self.visit(server, Occasion::Automatic).await {
            Ok((_, Shown::No)) => SignedIn::No,
            Ok((visit, Shown::Yes | Shown::Beside)) => match self.finish(*visit).await {
                Ok(()) => SignedIn::Yes,
                Err(error) => {
                    tracing::warn!(server = server.name, %error, "nobody has signed in");
                    SignedIn::No
                }
            },
            Err(error) => {
                if matches!(error, AuthFailure::Declined) {
                    let mut known = self.lock();
                    known
                        .tries
                        .entry(server.name.clone())
                        .or_default()
                        .give_up();
                }
                tracing::warn!(server = server.name, %error, "nobody has signed in");
                SignedIn::No
            }
        }
    }

    async fn sign_in(self: &Arc<Self>, server: &ServerConfig) -> String {
        let name = &server.name;
        if address(server).is_none() {
            return format!(
                "`{name}` is a program on this machine. There is nothing to sign in to."
            );
        }
        let alone = self.one_at_a_time.lock().await;
        self.lock().tries.remove(name);
        if OAuthSettings::of(server).grant_type == GrantType::ClientCredentials {
            return match self.sign_in_as_client(server).await {
                Ok(()) => format!("You are signed in at `{name}`."),
                Err(error) => format!("You are not signed in at `{name}`: {error}."),
            };
        }
        match self.visit(server, Occasion::Asked).await {
            Err(error) => format!("You are not signed in at `{name}`: {error}."),
            Ok((visit, Shown::Yes)) => match self.finish(*visit).await {
                Ok(()) => format!("You are signed in at `{name}`."),
                Err(error) => format!("You are not signed in at `{name}`: {error}."),
            },
            Ok((visit, shown @ (Shown::Beside | Shown::No))) => {
                drop(alone);
                let page = visit.page();
                let told = match shown {
                    Shown::No => format!(
                        "Open this page to sign in at `{name}`; it connects by itself once you have:\n\n{page}"
                    ),
                    Shown::Yes | Shown::Beside => format!(
                        "The page to sign in at `{name}` is open in your browser; it connects by itself once you \
                         have. Should you not see it:\n\n{page}"
                    ),
                };
                let shared = Arc::clone(self);
                let server = name.clone();
                tokio::spawn(async move {
                    if let Err(error) = shared.finish(*visit).await {
                        tracing::warn!(server, %error, "nobody has signed in");
                    }
                });
                told
            }
        }
    }

    async fn sign_out(self: &Arc<Self>, server: &str) -> Result<String, String> {
        let known = self.lock().credentials.remove(server).flatten();
        drop(self.storing.lock().await);
        let was_there = known.is_some() || self.credentials(server).await.is_some();
        match (self.forgotten(server).await, was_there) {
            (Err(problem), _) => Err(format!("You are still signed in at `{server}`: {problem}.")),
            (Ok(()), true) => Ok(format!("You are signed out at `{server}`.")),
            (Ok(()), false) => Ok(format!("You were not signed in at `{server}`.")),
        }
    }

    async fn sign_in_where_wanted(self: &Arc<Self>) -> String {
        let refusals = self.lock().refusals.clone();
        let mut names: Vec<&String> = refusals.keys().collect();
        names.sort();
        match names.as_slice() {
            [] => "No server has asked you to sign in.".to_owned(),
            [only] => match refusals.get(*only) {
                Some((server, _)) => self.sign_in(server).await,
                None => "No server has asked you to sign in.".to_owned(),
            },
            several => {
                let names: Vec<String> = several.iter().map(|name| format!("`{name}`")).collect();
                let names = names.join(", ");
                format!("These want you to sign in: {names}. Say which: `/mcp auth name`.")
            }
        }
    }

    async fn sign_in_as_client(self: &Arc<Self>, server: &ServerConfig) -> Result<(), AuthFailure> {
        let (discovered, settings) = self.discover(server).await?;
        let credentials = discovered
            .sign_in_as_client(&server.name, &settings)
            .await?;
        self.signed_in(credentials).await;
        Ok(())
    }

    async fn discover(
        self: &Arc<Self>,
        server: &ServerConfig,
    ) -> Result<(Discovered, OAuthSettings), AuthFailure> {
        let url = address(server).ok_or(AuthFailure::NoAddress)?;
        let settings = OAuthSettings::of(server);
        let challenge = self.lock().refusals.get(&server.name).cloned();
        let challenge = challenge.and_then(|(_, challenge)| challenge);
        let discovered = flow::discover(&self.http, &url, &settings, challenge.as_deref()).await?;
        Ok((discovered, settings))
    }

    /// As far as the page on which the person signs in.
    async fn visit(
        self: &Arc<Self>,
        server: &ServerConfig,
        occasion: Occasion,
    ) -> Result<(Box<Visit>, Shown), AuthFailure> {
        let (discovered, settings) = self.discover(server).await?;
        let invitation = Invitation {
            server: server.name.clone(),
            host: discovered.host(),
            occasion,
        };
        match self.person.agrees(&invitation).await {
            Consent::Given => {}
            Consent::Refused => return Err(AuthFailure::Declined),
            Consent::NobodyThere => return Err(AuthFailure::NobodyThere),
        }
        let before = self.credentials(&server.name).await;
        let granted = before.and_then(|before| before.token.scope);
        let visit = discovered
            .register(
                &server.name,
                &settings,
                self.callback_port,
                granted.as_deref(),
            )
            .await?;
        let shown = self.person.show(&invitation, visit.page()).await;
        Ok((Box::new(visit), shown))
    }

    async fn finish(self: &Arc<Self>, visit: Visit) -> Result<(), AuthFailure> {
        let credentials = visit.finish().await?;
        self.signed_in(credentials).await;
        Ok(())
    }

    async fn signed_in(self: &Arc<Self>, credentials: Credentials) {
        let name = credentials.server_name.clone();
        self.keep(credentials).await;
        self.lock().refusals.remove(&name);
        self.news.send_modify(|count| *count += 1);
    }

    async fn credentials(self: &Arc<Self>, server: &str) -> Option<Credentials> {
        if let Some(known) = self.lock().credentials.get(server) {
            return known.clone();
        }
        let (vault, name) = (Arc::clone(&self.vault), server.to_owned());
        let loaded = tokio::task::spawn_blocking(move || vault.load(&name)).await;
        let loaded = match loaded {
            Ok(Ok(loaded)) => loaded,
            Ok(Err(problem)) => {
                tracing::warn!(server, problem, "its token cannot be read");
                None
            }
            Err(_) => None,
        };
        let mut known = self.lock();
        known.credentials.insert(server.to_owned(), loaded.clone());
        loaded
    }

    /// What cannot be stored is good for as long as this program runs.
    async fn keep(self: &Arc<Self>, mut credentials: Credentials) {
        if credentials.token.refresh_token.is_none() {
            let before = self.credentials(&credentials.server_name).await;
            credentials.take_over(before);
        }
        let name = credentials.server_name.clone();
        let _in_turn = self.storing.lock().await;
        self.lock()
            .credentials
            .insert(name.clone(), Some(credentials.clone()));
        let vault = Arc::clone(&self.vault);
        let saved = tokio::task::spawn_blocking(move || vault.save(&credentials)).await;
        if let Ok(Err(problem)) = saved {
            tracing::warn!(server = name, problem, "its token cannot be stored");
        }
    }

    async fn forget(self: &Arc<Self>, server: &str) {
        if let Err(problem) = self.forgotten(server).await {
            tracing::warn!(server, problem, "its token cannot be deleted");
        }
    }

    async fn forgotten(self: &Arc<Self>, server: &str) -> Result<(), String> {
        let _in_turn = self.storing.lock().await;
        self.lock().credentials.remove(server);
        let (vault, name) = (Arc::clone(&self.vault), server.to_owned());
        let deleted = tokio::task::spawn_blocking(move || vault.delete(&name)).await;
        deleted.unwrap_or_else(|error| Err(error.to_string()))
    }

    /// Every change is a single insertion or removal, so a panic elsewhere leaves nothing half done.
    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
