//! What tools have edited without an editor.

use std::fs;
use std::path::Path;

use pollux_agent::api::{CallId, TurnId};
use pollux_agent::{EditOrigin, Files, Standing, WorkspacePath};
use pollux_settings::Environment;
use tokio_util::sync::CancellationToken;

use super::world::World;
use crate::disk_surroundings::Ignored;
use crate::room_view::RoomView;
use crate::services;
use crate::undo::turn::undo;

fn origin(turn: u64, standing: Standing) -> EditOrigin {
    EditOrigin {
        turn: TurnId(turn),
        call: CallId::new("call"),
        standing,
        cancel: CancellationToken::new(),
    }
}

fn view(environment: &Environment, root: &Path) -> RoomView {
    let ignored = Ignored {
        root: root.to_owned(),
        files: pollux_search::RuleFiles::default(),
    };
    let rooms = services::rooms(environment);
    let places = crate::room_view::Places {
        own: root.join("own"),
        beside: Vec::new(),
    };
    RoomView::new(&rooms, "s".into(), root.to_owned(), places, ignored)
}

#[tokio::test]
async fn what_the_tools_of_a_turn_edited_is_taken_back_turn_by_turn() {
    let world = World::new();
    let root = &world.root;
    let home = world.base.join("home");
    let environment: Environment = [("HOME", home.to_str().unwrap())].into_iter().collect();
    let file = root.join("a.txt");
    let text = || fs::read_to_string(&file).unwrap();
    fs::write(&file, "a\r\nb\r\n").unwrap();
    let [old, new] = ["a.txt", "new/n.txt"].map(|path| WorkspacePath::new(root, path).unwrap());

    let headless = view(&environment, root);
    let first = origin(1, Standing::Kept);
    headless
        .write(&old, "a\r\nb\r\n", "a\r\nB\r\n", &first)
        .await
        .unwrap();
    headless.create(&new, "n\n", &first).await.unwrap();
    let second = origin(2, Standing::Pending);
    headless
        .write(&old, "a\r\nB\r\n", "A\r\nB\r\n", &second)
        .await
        .unwrap();
    drop(headless);
    assert_eq!(text(), "A\r\nB\r\n");

    let taken = undo(&services::rooms(&environment), root).await.unwrap();
    assert_eq!(taken.unwrap(), "The turn is undone in a file.");
    assert_eq!(text(), "a\r\nB\r\n");
    let taken = undo(&services::rooms(&environment), root).await.unwrap();
    assert_eq!(taken.unwrap(), "The turn is undone in 2 files.");
    assert_eq!(text(), "a\r\nb\r\n");
    assert!(!root.join("new/n.txt").exists());
    let taken = undo(&services::rooms(&environment), root).await.unwrap();
    assert_eq!(taken, None);
}
