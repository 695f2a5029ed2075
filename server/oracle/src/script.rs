//! Scripts to judge and run: from a grammar, from the tables, and from mutations of the tables.

mod grammar;
mod mutation;
mod pieces;
mod random;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use pollux_policy::shell::{self, Place, Safety};

use crate::table;
use pieces::Program;
use random::Random;

/// What scripts are drawn from.
struct Source {
    random: Random,
    programs: Rc<Vec<Program>>,
    tame: HashMap<String, bool>,
}

impl Source {
    /// Whether a command might be called read-only where everything is in its place.
    fn is_tame(&mut self, command: &str) -> bool {
        let judge = || {
            let place = Place {
                cwd: Path::new("/work"),
                roots: &[PathBuf::from("/work")],
                view: &|path: &Path| Some(path.to_owned()),
            };
            shell::parse(command).is_ok_and(|it| shell::judge(&it, &place) == Safety::KnownSafe)
        };
        match self.tame.get(command) {
            Some(known) => *known,
            None => {
                let is_tame = judge();
                self.tame.insert(command.to_owned(), is_tame);
                is_tame
            }
        }
    }
}

/// This many different scripts for the seed, in an order of their own. The tables come first.
pub(crate) fn scripts(seed: u64, count: usize) -> Vec<String> {
    let mut commands: Vec<String> = table::everyday()
        .into_iter()
        .map(|entry| entry.command)
        .collect();
    let red_team = table::red_team();
    let mut seen = HashSet::new();
    let mut scripts = Vec::with_capacity(count);
    let mut add = |script: String, scripts: &mut Vec<String>| {
        // No caller can hand over a text with a zero in it.
        if !script.contains('\0') && seen.insert(script.clone()) {
            scripts.push(script);
        }
    };
    commands.extend(red_team);
    for script in &commands {
        add(script.clone(), &mut scripts);
    }
    let mut source = Source {
        random: Random::new(seed),
        programs: Rc::new(pieces::programs()),
        tame: HashMap::new(),
    };
    while scripts.len() < count {
        let script = match source.random.below(5) {
            0 | 1 => mutation::mutated(&commands, &mut source),
            _ => grammar::script(&mut source),
        };
        add(script, &mut scripts);
    }
    scripts
}

#[test]
fn a_seed_stands_for_its_scripts() {
    assert_eq!(scripts(1, 3_000), scripts(1, 3_000));
    assert_ne!(scripts(1, 3_000), scripts(2, 3_000));
}
