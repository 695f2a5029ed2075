//! Many rounds of everything that can happen to a file, in any order.
//!
//! A seed decides it all. Threads and clocks hand over what they found, and the dice say when the room hears of it, so a failure
//! comes back with its seed.

mod dice;
mod editor;
mod found;
mod laws;
mod world;

use world::World;

const SEEDS: u64 = 120;
const STEPS: usize = 100;

async fn play(seed: u64, steps: usize) {
    let mut world = World::new(seed).await;
    for _ in 0..steps {
        world.step().await;
        world.check();
    }
    world.come_to_rest().await;
    world.check();
}

#[tokio::test(start_paused = true)]
async fn whatever_happens_no_text_of_a_person_is_lost_and_everybody_has_the_same() {
    for seed in 0..SEEDS {
        play(seed, STEPS).await;
    }
}
