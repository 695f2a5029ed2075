//! What the model says in the tests in which an editor kills the host, and what is left of it.

use std::fs;

use pollux_testkit::scripted_model::{Reply, ScriptedModel};

use super::scripted_editor::{changed, rewrites, world_with};
use super::talk::{model, runs, says};
use super::world::World;

/// A file that is edited at the end, and a model for five prompts, the third and the fourth of which are interrupted.
pub(crate) async fn prepared() -> (World, ScriptedModel) {
    let world = world_with("a.txt", &changed("a.txt", &[]));
    let server = model([
        says("one"),
        says("two"),
        Reply::text("half an answer\n").gate("never").finish("STOP"),
        says("the other half"),
        runs("touch made"),
        rewrites("a.txt"),
        says("Done."),
    ])
    .await;
    (world, server)
}

/// One hunk was kept, and the others were rejected.
pub(crate) fn expect_decided(world: &World) {
    let text = fs::read_to_string(world.work().join("a.txt")).unwrap();
    assert_eq!(text, changed("a.txt", &[2]));
    assert!(!world.work().join("made").exists());
}
