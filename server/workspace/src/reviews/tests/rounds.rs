//! Many rounds of everything that can happen to a file, in any order.
//!
//! A seed decides it all. Threads and clocks hand over what they found, and the dice say when the room hears of it, so a failure
//! comes back with its seed.

mod dice;
mod editor;
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

#[test]
fn survey() {
    let from: u64 = std::env::var("FROM").map_or(0, |n| n.parse().unwrap());
    let to: u64 = std::env::var("TO").map_or(120, |n| n.parse().unwrap());
    let seeds: Vec<u64> = std::env::var("SEEDS").map_or((from..to).collect(), |all| {
        all.split(',').map(|n| n.parse().unwrap()).collect()
    });
    for seed in seeds {
        let _ = std::panic::catch_unwind(|| {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .start_paused(true)
                .build()
                .unwrap();
            runtime.block_on(play(seed, STEPS));
        });
    }
}
