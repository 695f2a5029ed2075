use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use pollux_mcp::connect::Token;

use super::*;

/// A place that can be broken.
#[derive(Clone, Default)]
struct Shelf(Arc<Mutex<Held>>);

#[derive(Default)]
struct Held {
    credentials: BTreeMap<String, Credentials>,
    is_broken: bool,
    is_read_only: bool,
}

impl Shelf {
    fn with(age: u64) -> Self {
        let shelf = Self::default();
        shelf.save(&aged(age)).unwrap();
        shelf
    }

    fn change(&self, change: impl FnOnce(&mut Held)) {
        change(&mut self.0.lock().unwrap());
    }

    /// How old what lies here is.
    fn age(&self) -> Option<u64> {
        let held = self.0.lock().unwrap();
        held.credentials.get("s").map(|one| one.updated_at)
    }

    fn answers(&self) -> Result<(), String> {
        match self.0.lock().unwrap().is_broken {
            true => Err("broken".to_owned()),
            false => Ok(()),
        }
    }

    fn takes(&self) -> Result<(), String> {
        self.answers()?;
        match self.0.lock().unwrap().is_read_only {
            true => Err("full".to_owned()),
            false => Ok(()),
        }
    }
}

impl Vault for Shelf {
    fn load(&self, server: &str) -> Result<Option<Credentials>, String> {
        self.answers()?;
        Ok(self.0.lock().unwrap().credentials.get(server).cloned())
    }

    fn save(&self, credentials: &Credentials) -> Result<(), String> {
        self.takes()?;
        let name = credentials.server_name.clone();
        self.change(|held| {
            held.credentials.insert(name, credentials.clone());
        });
        Ok(())
    }

    fn delete(&self, server: &str) -> Result<(), String> {
        self.takes()?;
        self.change(|held| {
            held.credentials.remove(server);
        });
        Ok(())
    }
}

fn aged(updated_at: u64) -> Credentials {
    Credentials {
        server_name: "s".to_owned(),
        token: Token {
            access_token: "at".to_owned(),
            refresh_token: None,
            expires_at: None,
            token_type: "Bearer".to_owned(),
            scope: None,
        },
        client_id: None,
        client_secret: None,
        token_url: None,
        mcp_server_url: None,
        updated_at,
    }
}

fn places(shelves: &[Shelf]) -> Places {
    let boxed = shelves
        .iter()
        .map(|shelf| Box::new(shelf.clone()) as Box<dyn Vault>);
    Places(boxed.collect())
}

fn ages(shelves: &[Shelf]) -> Vec<Option<u64>> {
    shelves.iter().map(Shelf::age).collect()
}

#[test]
fn what_lies_elsewhere_moves_to_the_safest_place() {
    let shelves = [Shelf::default(), Shelf::default(), Shelf::with(1)];
    assert_eq!(places(&shelves).load("s").unwrap(), Some(aged(1)));
    assert_eq!(ages(&shelves), [Some(1), None, None]);
    assert_eq!(places(&shelves).load("t").unwrap(), None);
}

#[test]
fn the_newest_counts_wherever_it_lies() {
    let shelves = [Shelf::with(1), Shelf::with(3), Shelf::with(2)];
    assert_eq!(places(&shelves).load("s").unwrap(), Some(aged(3)));
    assert_eq!(ages(&shelves), [Some(3), None, None]);
}

#[test]
fn nothing_is_lost_where_a_place_does_not_work() {
    // The keychain is locked: the file is read, and nothing moves.
    let shelves = [Shelf::with(1), Shelf::with(2), Shelf::default()];
    shelves[0].change(|held| held.is_broken = true);
    assert_eq!(places(&shelves).load("s").unwrap(), Some(aged(2)));
    assert_eq!(ages(&shelves), [Some(1), Some(2), None]);
    // What is new goes into the next place that takes it.
    places(&shelves).save(&aged(3)).unwrap();
    assert_eq!(ages(&shelves), [Some(1), Some(3), None]);
    shelves[1].change(|held| held.is_read_only = true);
    places(&shelves).save(&aged(4)).unwrap();
    assert_eq!(ages(&shelves), [Some(1), Some(3), Some(4)]);
    // Once it is unlocked, the newest moves there, and what cannot be taken out never counts again.
    shelves[0].change(|held| held.is_broken = false);
    assert_eq!(places(&shelves).load("s").unwrap(), Some(aged(4)));
    assert_eq!(ages(&shelves), [Some(4), Some(3), None]);
    assert_eq!(places(&shelves).load("s").unwrap(), Some(aged(4)));
}

#[test]
fn where_nothing_works_that_is_said() {
    let shelves = [Shelf::with(1), Shelf::with(2)];
    for shelf in &shelves {
        shelf.change(|held| held.is_broken = true);
    }
    assert_eq!(places(&shelves).load("s").unwrap_err(), "broken; broken");
    assert_eq!(
        places(&shelves).save(&aged(3)).unwrap_err(),
        "broken; broken"
    );
}

#[test]
fn whoever_is_forgotten_is_forgotten_everywhere() {
    let shelves = [Shelf::with(1), Shelf::with(2), Shelf::with(3)];
    shelves[1].change(|held| held.is_broken = true);
    places(&shelves).delete("s").unwrap();
    assert_eq!(ages(&shelves), [None, Some(2), None]);
    shelves[1].change(|held| held.is_broken = false);
    shelves[1].change(|held| held.is_read_only = true);
    assert_eq!(places(&shelves).delete("s").unwrap_err(), "full");
}
