//! What the rounds have found, each by itself.

use pollux_text::Edit;

use super::editor::{FILE, Mood};
use super::world::{FIRST, World};
use crate::reviews::testing::{key, place, typed};
use crate::{Input, ReviewCommand, Scope};

fn outside(world: &mut World, text: &str) -> Input {
    world.disk.put(FILE, text);
    Input::FilesChanged(vec![place(FILE)])
}

fn with(line: &str, text: &str) -> String {
    format!("{line}\n{text}")
}

async fn rest(mut world: World) -> World {
    world.come_to_rest().await;
    world.check();
    world
}

#[tokio::test(start_paused = true)]
async fn a_write_from_outside_right_after_ours_is_seen() {
    let mut world = World::calm().await;
    world.agent_makes(FIRST, &with("a1;", FIRST)).await;
    let news = outside(&mut world, &with("u2;", &with("a1;", FIRST)));
    // The disk has taken the edit, and the room has not heard of it yet.
    world.handle(news).await;
    rest(world).await;
}

#[tokio::test(start_paused = true)]
async fn a_look_at_the_disk_from_before_an_edit_is_no_news_after_it() {
    let mut world = World::calm().await;
    let first = with("a1;", FIRST);
    world.agent_makes(FIRST, &first).await;
    world.come_to_rest().await;
    let news = outside(&mut world, &first);
    world.handle(news).await;
    let late = world.works.pop().unwrap();
    world.agent_makes(&first, &with("a2;", &first)).await;
    world.come_to_rest().await;
    world.handle(late).await;
    rest(world).await;
}

#[tokio::test(start_paused = true)]
async fn a_file_that_is_opened_while_an_edit_finds_another_text_on_disk_gets_the_edit() {
    let mut world = World::calm().await;
    world.agent_makes(FIRST, &with("a1;", FIRST)).await;
    world.come_to_rest().await;
    let now = with("u2;", &with("a1;", FIRST));
    let _not_heard = outside(&mut world, &now);
    world.agent_makes(FIRST, &format!("{FIRST}a3;\n")).await;
    world.editors[0].open(&now);
    world.hear(0).await;
    rest(world).await;
}

#[tokio::test(start_paused = true)]
async fn a_file_that_is_closed_and_opened_at_once_still_gets_the_edit() {
    let mut world = World::calm().await;
    world.editors[0].open(FIRST);
    world.hear(0).await;
    world.agent_makes(FIRST, &with("a1;", FIRST)).await;
    world.editors[0].close();
    world.hear(0).await;
    world.editors[0].open(FIRST);
    world.hear(0).await;
    let world = rest(world).await;
    assert_eq!(world.editors[0].text().unwrap(), with("a1;", FIRST));
}

#[tokio::test(start_paused = true)]
async fn a_decision_about_a_closed_file_is_undone_where_the_file_is_by_now() {
    let mut world = World::calm().await;
    let first = with("a1;", FIRST);
    world.agent_makes(FIRST, &first).await;
    world.come_to_rest().await;
    world
        .order(ReviewCommand::Keep(Scope::File(key(FILE))))
        .await;
    world.come_to_rest().await;
    // Nothing is pending, so nobody looks.
    let news = outside(&mut world, &format!("{first}u2;\n"));
    world.handle(news).await;
    world.order(ReviewCommand::Undo).await;
    rest(world).await;
}

#[tokio::test(start_paused = true)]
async fn who_opens_a_file_with_the_edit_and_types_there_has_not_taken_anything_away() {
    let mut world = World::calm().await;
    let before = with("u1;", FIRST);
    world.disk.put(FILE, &before);
    world.typed.insert(1);
    let after = with("a2;", FIRST);
    world.agent_makes(&before, &after).await;
    world.editors[0].open(&after);
    world.editors[0].change(vec![typed(0, "mine ")]);
    rest(world).await;
}

#[tokio::test(start_paused = true)]
async fn an_undo_leaves_what_was_typed_in_the_same_breath_as_the_decision() {
    let mut world = World::calm().await;
    world.editors[0].open(FIRST);
    world.agent_makes(FIRST, &with("a1;", FIRST)).await;
    world.come_to_rest().await;
    world
        .order(ReviewCommand::Reject(Scope::File(key(FILE))))
        .await;
    let World {
        editors,
        disk,
        dice,
        ..
    } = &mut world;
    let editor = &mut editors[0];
    editor.listen(Mood::Obedient, disk, dice);
    editor.change(vec![typed(5, "u2;\n")]);
    // One message for both.
    let second = editor.wire.pop_back().unwrap();
    let answer = editor.wire.pop_back().unwrap();
    let first = editor.wire.pop_back().unwrap();
    editor.wire.push_back(joined(first, second));
    editor.wire.push_back(answer);
    world.come_to_rest().await;
    world.order(ReviewCommand::Undo).await;
    let world = rest(world).await;
    let text = world.editors[0].text().unwrap();
    assert!(text.contains("a1;") && text.contains("u2;"), "{text}");
}

fn joined(first: Input, second: Input) -> Input {
    let (
        Input::Changed { edits, .. },
        Input::Changed {
            edits: more,
            door,
            key,
            version,
        },
    ) = (first, second)
    else {
        panic!("these are no changes");
    };
    let edits: Vec<Edit> = edits.into_iter().chain(more).collect();
    Input::Changed {
        door,
        key,
        version,
        edits,
    }
}
