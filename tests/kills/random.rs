//! Kills at random moments of conversations with edits: the windows show what is recorded, and files hold what was decided.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use pollux_testkit::scripted_model::{Call, Reply, Script, ScriptedModel};
use serde_json::{Value, json};

use super::{is_end, transcript};
use crate::support::plain::{pending_in, review, run};
use crate::support::talk::{Talk, calls, says};
use crate::support::world::{World, expect_end_of, kill};

/// Kills in a run of all tests, over both modes. `POLLUX_RANDOM_KILLS` names another number.
const KILLS: usize = 40;
/// So many prompts are said in one conversation, and the host is killed in each.
const PROMPTS: usize = 3;
/// A door replaces so many hosts in a minute, the one at the end included.
const MOST_IN_A_CONVERSATION: usize = 5;

/// The same numbers in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, count: u64) -> u64 {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % count
    }

    fn says_yes(&mut self) -> bool {
        self.below(2) == 0
    }
}

fn file(prompt: usize) -> String {
    format!("f{prompt}.txt")
}

fn old(name: &str) -> String {
    format!("{name}\nold\nlast\n")
}

fn new(name: &str) -> String {
    format!("{name}\nnew\nlast\n")
}

/// Each prompt has a text, an edit of a file of its own, and another text.
fn script() -> Script {
    let mut script = Script::new();
    for prompt in 0..PROMPTS {
        let mark = format!("prompt {prompt}.");
        let name = file(prompt);
        let edit = json!({ "file_path": name, "content": new(&name) });
        let first = Reply::new()
            .chunk("I change ")
            .chunk("it. ")
            .call(Call::new("write_file", edit))
            .finish("STOP");
        let read = calls("read_file", json!({ "file_path": name }));
        let last = Reply::new()
            .chunk("It is ")
            .chunk("changed.")
            .finish("STOP");
        for reply in [first, read, last] {
            script = script.reply(reply.when_body(&mark));
        }
    }
    script.reply(says("Then on.").always())
}

/// A window, and what it shows.
struct Window {
    talk: Talk,
    shown: Vec<Value>,
}

impl Window {
    async fn next(&mut self) -> Value {
        let event = self.talk.any().await;
        if event["kind"] == "opened" {
            self.shown.clear();
        }
        self.shown.push(event.clone());
        event
    }

    /// Whether each of these prompts has had its turn, and nothing runs.
    fn is_through(&self, prompts: &[&str]) -> bool {
        let started = |prompt: &&str| {
            let turns = self.shown.iter();
            let mut turns = turns.filter(|event| event["kind"] == "turnStarted");
            turns.any(|event| event["prompt"] == **prompt)
        };
        let last = self.shown.iter().rev();
        let mut last = last.filter(|event| is_end(event) || event["kind"] == "turnStarted");
        prompts.iter().all(started) && last.next().is_some_and(is_end)
    }

    async fn read(&mut self, prompts: &[&str]) {
        while !self.is_through(prompts) {
            self.next().await;
        }
    }
}

struct Scene {
    world: World,
    server: ScriptedModel,
    dice: Dice,
    mode: &'static str,
    window: Window,
    other: Window,
    /// What each file has to hold. A file that is not named here may hold either text.
    wanted: BTreeMap<String, String>,
    /// Proposals that were allowed, and the call of each.
    allowed: BTreeMap<String, String>,
    /// Files whose edit was kept or rejected.
    decided: BTreeSet<String>,
    kills: usize,
}

impl Scene {
    async fn start(seed: u64, mode: &'static str) -> Self {
        let world = World::new();
        for prompt in 0..PROMPTS {
            let name = file(prompt);
            fs::write(world.work().join(&name), old(&name)).unwrap();
        }
        let server = ScriptedModel::start(script()).await;
        let talk = Talk::start(&world, &server).await;
        talk.ask("pollux/modeSet", json!({ "mode": mode })).await;
        let other = talk.join(&world, &server).await;
        let window = |talk| Window {
            talk,
            shown: Vec::new(),
        };
        let wanted = (0..PROMPTS).map(|prompt| (file(prompt), old(&file(prompt))));
        Self {
            wanted: wanted.collect(),
            world,
            server,
            dice: Dice(seed),
            mode,
            window: window(talk),
            other: window(other),
            allowed: BTreeMap::new(),
            decided: BTreeSet::new(),
            kills: 0,
        }
    }

    /// Whoever says something while a host is replaced says it again.
    async fn say(&self, text: &str) {
        let text = json!({ "text": text });
        while let Err(problem) = self
            .window
            .talk
            .request("pollux/promptQueue", text.clone())
            .await
        {
            assert!(problem.contains("ask again"), "{problem}");
        }
    }

    /// Reads an event of the first window, and answers it if it asks something.
    async fn step(&mut self) -> Value {
        let event = self.window.next().await;
        if self.window.talk.is_past {
            return event;
        }
        match event["kind"].as_str().unwrap() {
            "editProposed" => {
                let (path, call) = (&event["path"], &event["call"]);
                let path = path.as_str().unwrap().to_owned();
                let answer = if self.dice.says_yes() {
                    self.wanted.remove(&path);
                    let call = call.as_str().unwrap().to_owned();
                    self.allowed.insert(call, path);
                    json!({ "kind": "allow" })
                } else {
                    self.wanted.insert(path.clone(), old(&path));
                    json!({ "kind": "deny" })
                };
                let given = json!({ "approval": event["proposal"], "answer": answer });
                let answer = self.window.talk.request("pollux/approvalAnswer", given);
                answer.await.unwrap();
            }
            "editMade" => {
                let path = event["path"].as_str().unwrap().to_owned();
                self.wanted.insert(path.clone(), new(&path));
            }
            "toolEnded" => {
                let allowed = self.allowed.remove(event["call"].as_str().unwrap());
                if let Some(path) = allowed
                    && event["status"] == "succeeded"
                {
                    self.wanted.insert(path.clone(), new(&path));
                }
            }
            _ => {}
        }
        event
    }

    async fn kill_host(&mut self) {
        self.kills += 1;
        let hosts = self.world.processes("host");
        assert!(!hosts.is_empty(), "there is a host");
        for host in hosts {
            kill(host);
            expect_end_of(host).await;
        }
    }

    /// One prompt, in whose turn or after it the host is killed.
    async fn play(&mut self, prompt: usize) {
        if self.mode == "autoEdit" {
            // Wherever the turn is cut off, its file has one text or the other; so have those that an earlier turn did not
            // get to. In the other mode nothing is written that nobody has allowed.
            let names = (0..=prompt).map(file);
            for name in names.filter(|name| !self.decided.contains(name)) {
                self.wanted.remove(&name);
            }
        }
        self.say(&format!("prompt {prompt}.")).await;
        for _ in 0..self.dice.below(16) {
            let event = self.step().await;
            if is_end(&event) && event["outcome"] != "interrupted" {
                break;
            }
        }
        self.kill_host().await;
        let said = format!("prompt {prompt}.");
        self.go_on(&[&format!("after kill {prompt}"), &said]).await;
        self.decide(prompt).await;
        self.check();
    }

    /// Says the first of these prompts to the next host, and hears all of them out: what waited is not lost.
    async fn go_on(&mut self, prompts: &[&str]) {
        self.allowed.clear();
        self.say(prompts[0]).await;
        while !self.window.is_through(prompts) {
            self.step().await;
        }
        self.other.read(prompts).await;
    }

    /// Decides what waits, and is killed in the middle of it now and then.
    async fn decide(&mut self, prompt: usize) {
        let pending = review(&self.window.talk.editor).await;
        for file in pending["files"].as_array().unwrap() {
            let name = file["path"].as_str().unwrap().to_owned();
            assert_eq!(self.on_disk(&name), new(&name), "{name} waits");
            let (command, text) = if self.dice.says_yes() {
                ("pollux.file.keep", new(&name))
            } else {
                ("pollux.file.reject", old(&name))
            };
            self.decided.insert(name.clone());
            let named = json!({ "uri": self.world.uri(&name) });
            let command = json!({ "command": command, "arguments": [named] });
            let left = MOST_IN_A_CONVERSATION - 1 - self.kills;
            let needed = PROMPTS - 1 - prompt;
            if left > needed && self.dice.says_yes() {
                let editor = &self.window.talk.editor;
                let decided = editor.start_request("workspace/executeCommand", command.clone());
                let decided = decided.await;
                self.kill_host().await;
                // Whether it was done nobody knows now.
                let _done_or_lost = decided.result().await;
                let said = format!("after the decision of {prompt} about {name}");
                self.go_on(&[&said]).await;
                if !self.waits(&name).await {
                    assert_eq!(self.on_disk(&name), text, "{name} was decided");
                    self.wanted.insert(name, text);
                    continue;
                }
            }
            run(&self.window.talk.editor, &command).await;
            pending_in(&self.window.talk.editor, &name, 0).await;
            self.wanted.insert(name, text);
        }
        for prompt in 0..PROMPTS {
            // What an interrupted turn has not done it does not do later.
            let name = file(prompt);
            let text = self.on_disk(&name);
            self.wanted.entry(name).or_insert(text);
        }
    }

    async fn waits(&self, name: &str) -> bool {
        let pending = review(&self.window.talk.editor).await;
        let mut files = pending["files"].as_array().unwrap().iter();
        files.any(|file| file["path"] == name)
    }

    fn on_disk(&self, name: &str) -> String {
        let text = fs::read_to_string(self.world.work().join(name)).unwrap();
        assert!([old(name), new(name)].contains(&text), "{name}: {text}");
        text
    }

    fn check(&self) {
        for (name, text) in &self.wanted {
            assert_eq!(self.on_disk(name), *text, "{name}");
        }
    }

    /// Both windows show what somebody reads in the record.
    async fn end(mut self) {
        let shown = transcript(&self.window.shown);
        assert_eq!(transcript(&self.other.shown), shown);
        self.kill_host().await;
        self.say("the end").await;
        self.window.read(&["the end"]).await;
        let recorded = transcript(&self.window.shown);
        assert_eq!(recorded[..shown.len()], shown);
        assert_eq!(
            recorded[shown.len()..],
            ["> the end", "Then on.", "= completed"]
        );
        self.check();
        self.window.talk.close().await;
        self.other.talk.close().await;
        self.world.expect_no_process_left().await;
        drop(self.server);
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "how much is tried is said by who tries"
)]
fn kills() -> usize {
    let wanted = std::env::var("POLLUX_RANDOM_KILLS");
    wanted.map_or(KILLS, |kills| kills.parse().expect("a number"))
}

async fn conversations(mode: &'static str) {
    let count = kills().div_ceil(2 * PROMPTS);
    for conversation in 0..count {
        let mut scene = Scene::start(conversation as u64, mode).await;
        for prompt in 0..PROMPTS {
            scene.play(prompt).await;
        }
        scene.end().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn edits_that_are_asked_about_are_as_they_were_decided() {
    conversations("default").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn edits_that_are_made_at_once_are_as_they_were_decided() {
    conversations("autoEdit").await;
}
