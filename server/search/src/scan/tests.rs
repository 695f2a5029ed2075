use super::*;
use crate::RuleFiles;
use crate::testing::Project;

fn scanned(project: &Project, most: usize) -> Scan {
    project.with_tree(&RuleFiles::default(), |tree| {
        scan(tree, tree.rules.root(), &Excludes::nothing(), most)
    })
}

fn names(project: &Project, scan: &Scan) -> Vec<String> {
    let root = project.root();
    let below = scan.files.iter().map(|(path, _)| path.strip_prefix(&root));
    let mut names: Vec<String> = below
        .map(|path| path.unwrap().display().to_string())
        .collect();
    names.sort_unstable();
    names
}

#[test]
fn what_tools_see_is_stamped_and_links_are_not_followed() {
    let project = Project::repository(&[
        (".gitignore", "*.log\n"),
        ("a.rs", "four"),
        ("b/c.rs", ""),
        ("noise.log", "x"),
        (".env", "secret"),
    ]);
    project.link("link", "a.rs");
    let scan = scanned(&project, 100);
    assert_eq!(
        names(&project, &scan),
        [".gitignore", "a.rs", "b/c.rs", "link"]
    );
    assert_eq!(scan.stopped, None);
    let stamp = |name: &str| {
        let path = project.root().join(name);
        scan.files
            .iter()
            .find(|(known, _)| *known == path)
            .unwrap()
            .1
    };
    assert_eq!(
        (stamp("a.rs").kind, stamp("a.rs").size),
        (StampKind::File, 4)
    );
    assert_eq!(stamp("link").kind, StampKind::Link);
    let metadata = std::fs::symlink_metadata(project.root().join("a.rs")).unwrap();
    assert_eq!(Stamp::of(&metadata), Some(stamp("a.rs")));
}

#[test]
fn a_file_that_was_written_has_another_stamp() {
    let project = Project::new(&[("a", "1"), ("b", "1")]);
    let before = scanned(&project, 100);
    project.write("a", "22");
    let after = scanned(&project, 100);
    let stamp = |scan: &Scan, name: &str| {
        let path = project.root().join(name);
        scan.files
            .iter()
            .find(|(known, _)| *known == path)
            .unwrap()
            .1
    };
    assert_ne!(stamp(&before, "a"), stamp(&after, "a"));
    assert_eq!(stamp(&before, "b"), stamp(&after, "b"));
}

#[test]
fn more_files_than_wanted_end_the_scan() {
    let project = Project::new(&[("a", ""), ("b", ""), ("c", "")]);
    assert_eq!(scanned(&project, 3).stopped, None);
    let scan = scanned(&project, 2);
    assert_eq!(
        (scan.files.len(), scan.stopped),
        (2, Some(ScanStopped::TooMany))
    );
}
