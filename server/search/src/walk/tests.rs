use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::testing::Project;
use crate::{Cancel, RuleFiles};

struct Counting<'a>(&'a AtomicUsize);

impl Visitor for Counting<'_> {
    fn enters(&mut self, _: Place<'_>) -> bool {
        true
    }

    fn file(&mut self, _: Found<'_>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

fn many_files() -> Project {
    let project = Project::new(&[]);
    for folder in 0..20 {
        for file in 0..100 {
            project.write(&format!("d{folder}/f{file}"), "text");
        }
    }
    project
}

#[test]
fn every_file_is_visited_once_also_in_large_folders() {
    let project = many_files();
    let count = AtomicUsize::new(0);
    let (visitors, stopped) = project.with_tree(&RuleFiles::default(), |tree| {
        walk(tree, tree.rules.root(), &Excludes::nothing(), || {
            Counting(&count)
        })
    });
    assert_eq!(
        (count.load(Ordering::SeqCst), visitors.len(), stopped),
        (2000, 3, None)
    );
}

#[test]
fn after_a_cancel_no_thread_visits_another_file() {
    let project = many_files();
    let count = AtomicUsize::new(0);
    // Whoever asks after the tenth file is told to stop; three threads may be at a file at that moment.
    let is_cancelled = || count.load(Ordering::SeqCst) >= 10;
    let (_, stopped) =
        project.with_cancel(&RuleFiles::default(), Cancel::when(&is_cancelled), |tree| {
            walk(tree, tree.rules.root(), &Excludes::nothing(), || {
                Counting(&count)
            })
        });
    let visited = count.load(Ordering::SeqCst);
    assert!((10..=12).contains(&visited), "{visited}");
    assert_eq!(stopped, Some(Stopped::Cancelled));
}

#[test]
fn a_walk_from_an_ignored_folder_visits_nothing() {
    let project = Project::repository(&[(".gitignore", "out/\n"), ("out/deep/a", "")]);
    for start in ["out", "out/deep"] {
        let count = AtomicUsize::new(0);
        project.with_tree(&RuleFiles::default(), |tree| {
            let start = tree.rules.root().join(start);
            walk(tree, &start, &Excludes::nothing(), || Counting(&count))
        });
        assert_eq!(count.into_inner(), 0, "{start}");
    }
}

#[test]
fn a_panic_in_a_visitor_ends_the_walk() {
    struct Panicking;
    impl Visitor for Panicking {
        fn enters(&mut self, _: Place<'_>) -> bool {
            true
        }

        fn file(&mut self, _: Found<'_>) {
            panic!("on purpose");
        }
    }
    let project = many_files();
    let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        project.with_tree(&RuleFiles::default(), |tree| {
            walk(tree, tree.rules.root(), &Excludes::nothing(), || Panicking)
        });
    }));
    assert!(ended.is_err());
}
