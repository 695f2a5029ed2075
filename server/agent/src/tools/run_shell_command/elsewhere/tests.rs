use std::collections::VecDeque;
use std::future::pending;
use std::sync::Mutex;

use expect_test::{Expect, expect};
use futures_util::FutureExt;
use serde_json::json;
use tokio::sync::watch;
use tokio::task::yield_now;

use super::*;
use crate::terminals::{TerminalAnswer, TerminalClient, TerminalName};
use crate::testing::{Bench, Workspace, shell_setup};
use crate::tools::ShellSetup;
use crate::{Equipment, Terminals, ToolSet};

/// A client whose terminal does what the test says.
#[derive(Default)]
struct Scripted {
    opening: Opening,
    /// What each look at the output shows. Nothing: it is not answered. The last one stays.
    shows: Mutex<VecDeque<Option<TerminalOutput>>>,
    /// After so many looks, or never.
    ends: Option<(usize, TerminalEnd)>,
    looks: watch::Sender<usize>,
    /// What was wanted of it.
    log: Mutex<Vec<String>>,
}

#[derive(Clone, Copy, Default)]
enum Opening {
    #[default]
    AtOnce,
    Never,
}

impl Scripted {
    /// Its output was looked at so often.
    async fn looked(&self, times: usize) {
        let mut looks = self.looks.subscribe();
        looks.wait_for(|looks| *looks >= times).await.unwrap();
    }
}

#[derive(Clone)]
struct Client(Arc<Scripted>);

impl TerminalClient for Client {
    fn create(&self, order: TerminalOrder) -> TerminalAnswer<Arc<dyn ClientTerminal>> {
        let words = format!("{} {}", order.program, order.arguments.join(" "));
        self.0.log.lock().unwrap().push(words);
        let terminal: Arc<dyn ClientTerminal> = Arc::new(self.clone());
        match self.0.opening {
            Opening::AtOnce => async { Ok(terminal) }.boxed(),
            Opening::Never => pending().boxed(),
        }
    }
}

impl ClientTerminal for Client {
    fn name(&self) -> TerminalName {
        TerminalName {
            owner: "client".into(),
            id: "t1".into(),
        }
    }

    fn output(&self) -> TerminalAnswer<TerminalOutput> {
        self.0.looks.send_modify(|looks| *looks += 1);
        let mut shows = self.0.shows.lock().unwrap();
        let shown = match shows.len() {
            0 | 1 => shows.front().cloned().flatten(),
            _ => shows.pop_front().flatten(),
        };
        match shown {
            Some(output) => async { Ok(output) }.boxed(),
            None => pending().boxed(),
        }
    }

    fn end(&self) -> TerminalAnswer<TerminalEnd> {
        let scripted = Arc::clone(&self.0);
        async move {
            match &scripted.ends {
                Some((looks, end)) => {
                    scripted.looked(*looks).await;
                    Ok(end.clone())
                }
                None => pending().await,
            }
        }
        .boxed()
    }

    fn kill(&self) -> TerminalAnswer<()> {
        self.0.log.lock().unwrap().push("kill".to_owned());
        async { Ok(()) }.boxed()
    }
}

fn whole(text: &str) -> Option<TerminalOutput> {
    Some(TerminalOutput {
        text: text.to_owned(),
        completeness: Completeness::Whole,
    })
}

fn code(code: i32) -> TerminalEnd {
    TerminalEnd {
        code: Some(code),
        signal: None,
    }
}

/// A session whose commands run at this client, for as long as the offer is kept.
struct Stage {
    bench: Bench,
    scripted: Arc<Scripted>,
    offer: Option<crate::TerminalOffer>,
    _workspace: Workspace,
}

impl Stage {
    fn new(scripted: Scripted, inactivity: Option<Duration>) -> Self {
        let scripted = Arc::new(scripted);
        let terminals = Arc::new(Terminals::default());
        let offer = terminals.offer(Arc::new(Client(Arc::clone(&scripted))));
        let shell = ShellSetup {
            terminals: Some(terminals),
            inactivity,
            ..shell_setup()
        };
        let workspace = Workspace::new(&[]);
        let mut config = crate::testing::config(Arc::clone(&workspace.config.files));
        config.root = workspace.root().to_owned();
        config.tools = ToolSet::built_in(&Equipment {
            shell: Some(Arc::new(shell)),
            ..Equipment::default()
        });
        Self {
            bench: Bench::new(config),
            scripted,
            offer: Some(offer),
            _workspace: workspace,
        }
    }

    /// What the model is told, then what was shown meanwhile, then what was wanted of the client.
    async fn run(&self) -> String {
        let told = self
            .bench
            .call("run_shell_command", json!({ "command": "make" }));
        let mut seen = format!("{}\n", told.await);
        for event in self.bench.events() {
            match event {
                Event::ToolPrinted { text, .. } => seen += &format!("prints {text:?}\n"),
                Event::ToolTerminal { terminal, .. } => {
                    seen += &format!("runs in {}\n", terminal.id)
                }
                _ => {}
            }
        }
        for wanted in &*self.scripted.log.lock().unwrap() {
            seen += &format!("client: {wanted}\n");
        }
        seen
    }
}

async fn check(scripted: Scripted, inactivity: Option<Duration>, expected: Expect) {
    let stage = Stage::new(scripted, inactivity);
    expected.assert_eq(&stage.run().await);
}

#[tokio::test(start_paused = true)]
async fn what_is_new_is_shown_while_it_runs_and_all_of_it_is_told() {
    let shows = ["a\n", "a\n", "a\nb\n", "a\nb\nc\n"].map(whole);
    let scripted = Scripted {
        shows: Mutex::new(shows.into()),
        ends: Some((4, code(2))),
        ..Scripted::default()
    };
    check(
        scripted,
        None,
        expect![[r#"
        {"output":"<untrusted_context>\nOutput: a\nb\nc\nExit Code: 2\n</untrusted_context>"}
        runs in t1
        prints "a\n"
        prints "b\n"
        prints "c\n"
        client: bash -c make
    "#]],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn where_the_beginning_has_moved_away_all_of_it_is_new() {
    let cut = TerminalOutput {
        text: "y\nz\n".to_owned(),
        completeness: Completeness::Cut,
    };
    let scripted = Scripted {
        shows: Mutex::new([whole("x\ny\n"), Some(cut)].into()),
        ends: Some((3, code(0))),
        ..Scripted::default()
    };
    check(scripted, None, expect![[r#"
        {"output":"<untrusted_context>\nOutput: [the beginning is left out: the terminal keeps the end]\ny\nz\n</untrusted_context>"}
        runs in t1
        prints "x\ny\n"
        prints "[the beginning is left out: the terminal keeps the end]\ny\nz\n"
        client: bash -c make
    "#]]).await;
}

#[tokio::test(start_paused = true)]
async fn a_client_that_opens_nothing_and_says_nothing_fails_the_call_and_nothing_runs_twice() {
    let scripted = Scripted {
        opening: Opening::Never,
        ..Scripted::default()
    };
    let begun = Instant::now();
    check(scripted, None, expect![[r#"
        {"error":"a terminal was asked for, and the client does not answer; whether the command ran is not known","error_type":"shell_execute_error"}
        client: bash -c make
    "#]]).await;
    assert_eq!(begun.elapsed(), OPENED_WITHIN);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_does_not_answer_three_times_is_not_there_any_more() {
    let shows = [whole("a\n"), None, None, whole("a\nb\n"), None];
    let scripted = Scripted {
        shows: Mutex::new(shows.into()),
        ..Scripted::default()
    };
    check(scripted, None, expect![[r#"
        {"error":"the client in whose terminal the command ran does not answer any more","error_type":"shell_execute_error"}
        runs in t1
        prints "a\n"
        prints "b\n"
        client: bash -c make
    "#]]).await;
}

#[tokio::test(start_paused = true)]
async fn a_command_that_prints_nothing_for_too_long_is_killed() {
    let scripted = Scripted {
        shows: Mutex::new([whole("a\n")].into()),
        ..Scripted::default()
    };
    let patience = Some(Duration::from_secs(60));
    check(scripted, patience, expect![[r#"
        {"error":"Command was automatically cancelled because it exceeded the timeout of 1.0 minutes without output.","error_type":"shell_execute_error","output":"<untrusted_context>\nOutput: a\n</untrusted_context>"}
        runs in t1
        prints "a\n"
        client: bash -c make
        client: kill
    "#]]).await;
}

#[tokio::test(start_paused = true)]
async fn a_stop_kills_the_command_and_keeps_what_it_has_printed() {
    let scripted = Scripted {
        shows: Mutex::new([whole("half\n")].into()),
        ..Scripted::default()
    };
    let stage = Stage::new(scripted, None);
    let stop = async {
        stage.scripted.looked(1).await;
        stage.bench.cancel.cancel();
    };
    let (seen, ()) = tokio::join!(stage.run(), stop);
    expect![[r#"
        {"error":"[Operation Cancelled] the turn was stopped","output":"<untrusted_context>\nOutput: half\n</untrusted_context>"}
        runs in t1
        prints "half\n"
        client: bash -c make
        client: kill
    "#]].assert_eq(&seen);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_goes_fails_the_call_at_once() {
    let scripted = Scripted {
        shows: Mutex::new([whole("half\n")].into()),
        ..Scripted::default()
    };
    let mut stage = Stage::new(scripted, None);
    let offer = stage.offer.take();
    let begun = Instant::now();
    let go = async {
        while stage.scripted.log.lock().unwrap().is_empty() {
            yield_now().await;
        }
        drop(offer);
    };
    let (seen, ()) = tokio::join!(stage.run(), go);
    expect![[r#"
        {"error":"the client in whose terminal the command ran does not answer any more","error_type":"shell_execute_error"}
        runs in t1
        client: bash -c make
    "#]].assert_eq(&seen);
    assert!(begun.elapsed() < LOOKED_EVERY);
}

#[test]
fn an_end_is_a_code_or_a_signal_however_the_client_spells_it() {
    let end = |code: Option<i32>, signal: Option<&str>| {
        exit(&TerminalEnd {
            code,
            signal: signal.map(str::to_owned),
        })
    };
    assert_eq!(end(Some(3), None), Exit::Code(3));
    assert_eq!(end(Some(137), Some("SIGKILL")), Exit::Signal(9));
    assert_eq!(end(None, Some("15")), Exit::Signal(15));
    assert_eq!(end(Some(1), Some("SIGWHAT")), Exit::Code(1));
    assert_eq!(end(None, None), Exit::Lost);
}
