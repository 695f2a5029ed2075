use super::*;

/// A client with one text, or one that never says anything.
struct Fake {
    offers: FileOffer,
    text: Mutex<Option<String>>,
    asked_for: Mutex<Vec<PathBuf>>,
}

impl Fake {
    fn with(offers: FileOffer, text: Option<&str>) -> Arc<Self> {
        Arc::new(Self {
            offers,
            text: Mutex::new(text.map(str::to_owned)),
            asked_for: Mutex::default(),
        })
    }

    fn holds(&self, text: &str) {
        *self.text.lock().unwrap() = Some(text.to_owned());
    }
}

impl ClientFiles for Fake {
    fn offers(&self) -> FileOffer {
        self.offers
    }

    fn read(&self, path: PathBuf) -> Answering<String> {
        self.asked_for.lock().unwrap().push(path);
        match self.text.lock().unwrap().clone() {
            Some(text) => Box::pin(async { Ok(text) }),
            None => Box::pin(std::future::pending()),
        }
    }

    fn write(&self, _: PathBuf, _: String) -> Answering<()> {
        Box::pin(std::future::pending())
    }
}

fn folder() -> ClientFolder {
    ClientFolder {
        real: "/private/work".into(),
        named: "/project".into(),
    }
}

fn file() -> &'static Path {
    Path::new("/private/work/a/b.txt")
}

/// So long that nothing ends by itself.
fn endless() -> Arc<FileClients> {
    let hour = Duration::from_secs(3600);
    Arc::new(FileClients::new(Patience {
        read: hour,
        write: hour,
    }))
}

fn admit(clients: &Arc<FileClients>, session: &str, fake: &Arc<Fake>) -> FileClientLease {
    clients.admit(session.into(), vec![folder()], Arc::clone(fake) as _)
}

/// On a thread where waiting is fine.
async fn waiting<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    tokio::task::spawn_blocking(work).await.unwrap()
}

async fn latest(client: &Arc<FileClient>, on_disk: Option<&'static str>) -> Option<String> {
    let client = Arc::clone(client);
    let never = CancellationToken::new();
    waiting(move || client.latest(file(), on_disk, &never)).await
}

#[tokio::test]
async fn a_client_is_asked_by_the_names_that_it_knows() {
    let (clients, fake) = (endless(), Fake::with(FileOffer::Reads, Some("text")));
    let lease = admit(&clients, "s", &fake);
    assert_eq!(latest(&lease.client, None).await.as_deref(), Some("text"));
    assert_eq!(
        *fake.asked_for.lock().unwrap(),
        [Path::new("/project/a/b.txt")]
    );
}

#[tokio::test]
async fn what_is_not_saved_counts_until_it_is() {
    let (clients, fake) = (endless(), Fake::with(FileOffer::Reads, Some("typed")));
    let lease = admit(&clients, "s", &fake);
    let client = &lease.client;
    assert_eq!(latest(client, Some("disk")).await.as_deref(), Some("typed"));
    assert_eq!(client.unsaved(Path::new("/private/work")), [file()]);
    assert_eq!(
        latest(client, Some("typed")).await.as_deref(),
        Some("typed")
    );
    assert!(client.unsaved(Path::new("/private/work")).is_empty());
}

#[tokio::test]
async fn a_client_that_has_yet_to_hear_of_a_change_on_the_disk_does_not_hide_it() {
    let (clients, fake) = (endless(), Fake::with(FileOffer::Reads, Some("one")));
    let lease = admit(&clients, "s", &fake);
    let client = &lease.client;
    assert_eq!(latest(client, Some("one")).await.as_deref(), Some("one"));
    assert_eq!(latest(client, Some("two")).await.as_deref(), Some("two"));
    assert_eq!(latest(client, None).await, None);
    fake.holds("typed");
    assert_eq!(latest(client, Some("two")).await.as_deref(), Some("typed"));
}

#[tokio::test]
async fn an_empty_text_of_a_file_that_is_not_there_is_no_file() {
    let (clients, fake) = (endless(), Fake::with(FileOffer::Reads, Some("")));
    let lease = admit(&clients, "s", &fake);
    assert_eq!(latest(&lease.client, None).await, None);
    assert_eq!(latest(&lease.client, Some("x")).await.as_deref(), Some(""));
}

#[tokio::test]
async fn a_client_that_goes_leaves_nobody_waiting() {
    let (clients, fake) = (endless(), Fake::with(FileOffer::ReadsAndWrites, None));
    let lease = admit(&clients, "s", &fake);
    let client = Arc::clone(&lease.client);
    let reading = tokio::spawn(async move { latest(&client, Some("disk")).await });
    while fake.asked_for.lock().unwrap().is_empty() {
        tokio::task::yield_now().await;
    }
    drop(lease);
    assert_eq!(reading.await.unwrap().as_deref(), Some("disk"));
    let root = &folder().real;
    assert!(clients.reader(root, None).is_none());
}

#[tokio::test]
async fn whoever_stops_a_write_does_not_wait_for_the_client() {
    let (clients, fake) = (endless(), Fake::with(FileOffer::Writes, None));
    let lease = admit(&clients, "s", &fake);
    let (client, stopped) = (Arc::clone(&lease.client), CancellationToken::new());
    let token = stopped.clone();
    let writing = tokio::task::spawn_blocking(move || client.write(file(), "text", &token));
    stopped.cancel();
    assert_eq!(writing.await.unwrap(), Err(ClientFailure::Stopped));
}

#[tokio::test]
async fn a_write_that_is_never_answered_ends() {
    let moment = Duration::from_millis(1);
    let clients = Arc::new(FileClients::new(Patience {
        read: moment,
        write: moment,
    }));
    let fake = Fake::with(FileOffer::ReadsAndWrites, None);
    let lease = admit(&clients, "s", &fake);
    let client = Arc::clone(&lease.client);
    let never = CancellationToken::new();
    let written = waiting(move || client.write(file(), "text", &never)).await;
    assert_eq!(written, Err(ClientFailure::NoAnswer));
    assert_eq!(
        latest(&lease.client, Some("disk")).await.as_deref(),
        Some("disk")
    );
}

#[tokio::test]
async fn the_client_that_shows_a_session_is_asked_before_others() {
    let clients = endless();
    let fake = Fake::with(FileOffer::ReadsAndWrites, None);
    let reads_only = Fake::with(FileOffer::Reads, None);
    let (_first, _second) = (admit(&clients, "a", &fake), admit(&clients, "b", &fake));
    let _third = admit(&clients, "c", &reads_only);
    let root = &folder().real;
    let writer = |session: &str| {
        let session = SessionId::from(session);
        clients
            .writer(root, Some(&session))
            .map(|client| client.session.to_string())
    };
    assert_eq!(writer("a").as_deref(), Some("a"));
    assert_eq!(writer("c").as_deref(), Some("b"), "it does not write");
    assert_eq!(writer("z").as_deref(), Some("b"));
    assert!(clients.writer(Path::new("/elsewhere"), None).is_none());
}
