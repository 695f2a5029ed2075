//! Thousands of rounds of everybody changing one file.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::{SystemTime, UNIX_EPOCH};

use super::world::World;

const STEPS: usize = 50;

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

/// Ten thousand steps in all, in two tests because two can run at a time.
fn play_all(seeds: Range<u64>) {
    let mut counts = [0; 12];
    for seed in seeds {
        for (sum, count) in counts.iter_mut().zip(play(seed)) {
            *sum += count;
        }
    }
    // Everything that can happen did happen.
    assert!(counts.iter().all(|count| *count > 100), "{counts:?}");
}

#[test]
fn the_laws_hold_after_every_step_of_known_games() {
    play_all(0..100);
}

#[test]
fn the_laws_hold_after_every_step_of_other_known_games() {
    play_all(100..200);
}

#[test]
fn the_laws_hold_after_every_step_of_unknown_games() {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let start = now.as_nanos() as u64;
    for seed in start..start + 20 {
        play(seed);
    }
}
