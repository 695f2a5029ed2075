//! `kill -9` of the host, the door or the editor in the middle of an edit: the review is whole, or the file untouched.

use std::fs;

use pollux_testkit::fake_editor::{FakeEditor, InitializeOptions};
use pollux_testkit::scripted_model::{Script, ScriptedModel};
use serde_json::json;

use super::{CHANGED, FILES, edits, on_disk, text, write_files};
use crate::support::plain::{OpenFile, pending_in, plain_in, review_where, run};
use crate::support::talk::{Talk, door, says};
use crate::support::world::{Door, World, kill};
use crate::support::{never, snapshot};

/// The folder, a model with a script, and a window in which the turn is about to begin.
struct Scene {
    world: World,
    _server: ScriptedModel,
    talk: Talk,
}

fn options(world: &World) -> InitializeOptions {
    plain_in(world.work().to_str().unwrap())
}

impl Scene {
    async fn prepare(mode: &str) -> Self {
        let world = World::new();
        write_files(&world);
        let replies = FILES.iter().map(|name| edits(name)).chain([says("done")]);
        // Not strict: a turn that is cut off does not ask for all of it.
        let script = replies.fold(Script::new(), Script::reply);
        let server = ScriptedModel::start(script).await;
        let talk = Talk::start_with(options(&world), door(&world, &server)).await;
        talk.ask("pollux/modeSet", json!({ "mode": mode })).await;
        Self {
            world,
            _server: server,
            talk,
        }
    }

    /// The host is to kill itself before or after it writes a file.
    fn order_death(&self, moment: &str, name: &str) {
        fs::write(self.world.run().join("kill"), format!("{moment} {name}")).unwrap();
    }

    /// What is pending in each file, and that nothing but whole texts is on the disk.
    async fn holds(&self, editor: &FakeEditor, changed: [&[usize]; 3]) {
        for (name, changed) in FILES.into_iter().zip(changed) {
            pending_in(editor, name, changed.len()).await;
            assert_eq!(on_disk(&self.world, name), text(name, changed), "{name}");
        }
        let names = fs::read_dir(self.world.work()).unwrap();
        assert_eq!(names.count(), FILES.len(), "nothing else is left behind");
    }
}

/// Takes all of it back, which shows that the base is known.
async fn reject_all(world: &World, editor: &FakeEditor, names: &[&str]) {
    for name in names {
        let file = json!({ "uri": world.uri(name) });
        run(
            editor,
            &json!({ "command": "pollux.file.reject", "arguments": [file] }),
        )
        .await;
        pending_in(editor, name, 0).await;
    }
    for name in FILES {
        assert_eq!(on_disk(world, name), text(name, &[]), "{name}");
    }
}

async fn end(world: World, editor: FakeEditor, mut door: Door) {
    editor.abandon();
    door.ended().await;
    world.expect_no_process_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_is_killed_while_it_writes_the_second_of_three_files() {
    for (moment, second) in [("before", &[][..]), ("after", &CHANGED[..])] {
        let scene = Scene::prepare("autoEdit").await;
        let host = scene.world.host();
        scene.order_death(moment, "b.txt");
        let editor = &scene.talk.editor;
        let waiting = editor.start_request("pollux/snapshot", never()).await;
        scene.talk.say("change them").await;
        waiting.result().await.unwrap_err();
        snapshot(editor).await;
        assert_ne!(scene.world.host(), host);
        scene.holds(editor, [&CHANGED, second, &[]]).await;
        let pending: &[&str] = match second.is_empty() {
            true => &["a.txt"],
            false => &["a.txt", "b.txt"],
        };
        reject_all(&scene.world, editor, pending).await;
        let (editor, door) = scene.talk.into_parts();
        end(scene.world, editor, door).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_is_killed_while_it_takes_an_edit_back() {
    for (moment, first) in [("before", &CHANGED[..]), ("after", &[][..])] {
        let mut scene = Scene::prepare("autoEdit").await;
        scene.talk.say("change them").await;
        scene.talk.rest_unasked().await;
        scene.order_death(moment, "a.txt");
        let editor = &scene.talk.editor;
        let waiting = editor.start_request("pollux/snapshot", never()).await;
        let file = json!({ "uri": scene.world.uri("a.txt") });
        let rejecting = editor
            .start_request(
                "workspace/executeCommand",
                json!({ "command": "pollux.file.reject", "arguments": [file] }),
            )
            .await;
        // Whether the answer was quicker is nobody's business.
        let _answered_or_lost = rejecting.result().await;
        waiting.result().await.unwrap_err();
        scene.holds(editor, [first, &CHANGED, &CHANGED]).await;
        let names = match first.is_empty() {
            true => &FILES[1..],
            false => &FILES[..],
        };
        reject_all(&scene.world, editor, names).await;
        let (editor, door) = scene.talk.into_parts();
        end(scene.world, editor, door).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_is_killed_before_anybody_has_agreed_to_an_edit() {
    let mut scene = Scene::prepare("default").await;
    scene.talk.say("change them").await;
    scene.talk.event("editProposed").await;
    let editor = &scene.talk.editor;
    let waiting = editor.start_request("pollux/snapshot", never()).await;
    snapshot(editor).await;
    kill(scene.world.host());
    waiting.result().await.unwrap_err();
    snapshot(editor).await;
    scene.holds(editor, [&[], &[], &[]]).await;
    let (editor, door) = scene.talk.into_parts();
    end(scene.world, editor, door).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_is_killed_while_an_editor_makes_an_edit() {
    let scene = Scene::prepare("autoEdit").await;
    let editor = &scene.talk.editor;
    let uri = scene.world.uri("a.txt");
    let mut file = OpenFile::open(editor, &uri, &text("a.txt", &[])).await;
    let waiting = editor.start_request("pollux/snapshot", never()).await;
    scene.talk.say("change them").await;
    let asked = editor.expect_request("workspace/applyEdit").await;
    kill(scene.world.host());
    waiting.result().await.unwrap_err();
    // Nobody is there any more who has asked for it.
    file.make(editor, asked).await;
    assert_eq!(file.buffer.text(), text("a.txt", &CHANGED));
    pending_in(editor, "a.txt", 3).await;
    let rejecting = editor
        .start_request(
            "workspace/executeCommand",
            json!({ "command": "pollux.file.reject", "arguments": [{ "uri": uri }] }),
        )
        .await;
    file.obey(editor).await;
    rejecting.result().await.unwrap();
    pending_in(editor, "a.txt", 0).await;
    assert_eq!(file.buffer.text(), text("a.txt", &[]));
    assert_eq!(on_disk(&scene.world, "a.txt"), text("a.txt", &[]));
    let (editor, door) = scene.talk.into_parts();
    end(scene.world, editor, door).await;
}

/// Who is killed besides the host.
#[derive(Clone, Copy, Debug)]
enum Victim {
    Door,
    Editor,
}

/// When.
#[derive(Clone, Copy, Debug)]
enum Moment {
    /// It was asked for the edit, and has not made it.
    Asked,
    /// It has made the edit, and has not saved it.
    Made,
}

#[tokio::test(flavor = "multi_thread")]
async fn a_door_or_an_editor_that_is_killed_while_a_file_is_open() {
    for victim in [Victim::Door, Victim::Editor] {
        for moment in [Moment::Asked, Moment::Made] {
            killed_with_a_file_open(victim, moment).await;
        }
    }
}

async fn killed_with_a_file_open(victim: Victim, moment: Moment) {
    let scene = Scene::prepare("autoEdit").await;
    // Somebody else looks on, so that the host and the turn go on.
    let (other, mut other_door) = scene.world.door(&["lsp"]);
    other.initialize(options(&scene.world)).await;
    let editor = &scene.talk.editor;
    let uri = scene.world.uri("a.txt");
    let mut file = OpenFile::open(editor, &uri, &text("a.txt", &[])).await;
    scene.talk.say("change them").await;
    match moment {
        Moment::Asked => {
            editor.expect_request("workspace/applyEdit").await;
        }
        Moment::Made => {
            file.obey(editor).await;
            pending_in(&other, "a.txt", 3).await;
        }
    }
    let (editor, mut door) = scene.talk.into_parts();
    match victim {
        Victim::Door => kill(door.pid()),
        Victim::Editor => editor.close_input().await,
    }
    door.ended().await;
    editor.abandon();
    // What nobody has made gets into the file by itself; what was made and not saved has gone with the buffer.
    let pending = match moment {
        Moment::Asked => 3,
        Moment::Made => 0,
    };
    let changed: &[usize] = match moment {
        Moment::Asked => &CHANGED,
        Moment::Made => &[],
    };
    pending_in(&other, "a.txt", pending).await;
    assert_eq!(
        on_disk(&scene.world, "a.txt"),
        text("a.txt", changed),
        "{victim:?} {moment:?}"
    );
    review_where(&other, |review| {
        let files = review["files"].as_array().unwrap();
        let has = |name: &str| files.iter().any(|file| file["path"] == name);
        has("b.txt") && has("c.txt")
    })
    .await;
    let names = match moment {
        Moment::Asked => &FILES[..],
        Moment::Made => &FILES[1..],
    };
    reject_all(&scene.world, &other, names).await;
    other.abandon();
    other_door.ended().await;
    scene.world.expect_no_process_left().await;
}
