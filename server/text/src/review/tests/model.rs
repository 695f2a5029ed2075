//! Thousands of rounds of everybody changing one file.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::{SystemTime, UNIX_EPOCH};

use super::world::World;

const STEPS: usize = 40;

fn play(seed: u64) -> [usize; 12] {
    let mut world = World::new(seed);
    for step in 0..STEPS {
        let result = catch_unwind(AssertUnwindSafe(|| world.step()));
        if let Err(panic) = result {
            eprintln!("seed {seed}, step {step}, counts {:?}", world.counts);
            resume_unwind(panic);
        }
    }
    world.counts
}

#[test]
fn the_laws_hold_after_every_step_of_known_games() {
    let mut counts = [0; 12];
    for seed in 0..400 {
        for (sum, count) in counts.iter_mut().zip(play(seed)) {
            *sum += count;
        }
    }
    assert!(counts.iter().all(|count| *count > 100), "{counts:?}");
}

#[test]
fn the_laws_hold_after_every_step_of_unknown_games() {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let start = now.as_nanos() as u64;
    for seed in start..start + 100 {
        play(seed);
    }
}
