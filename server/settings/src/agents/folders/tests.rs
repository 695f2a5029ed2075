use std::fs;

use crate::{EditorTrust, Environment, load};

use super::*;

/// A home and a project in it.
struct Disk {
    dir: tempfile::TempDir,
}

impl Disk {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("project")).unwrap();
        Self { dir }
    }

    fn user(&self) -> PathBuf {
        self.dir.path().join(".gemini").join("agents")
    }

    fn project(&self) -> PathBuf {
        self.dir
            .path()
            .join("project")
            .join(".gemini")
            .join("agents")
    }

    fn write(&self, folder: &Path, file: &str, text: &str) {
        fs::create_dir_all(folder).unwrap();
        fs::write(folder.join(file), text).unwrap();
    }

    fn folders(&self, project: &str, trust: EditorTrust) -> AgentFolders {
        let home = self.dir.path().to_str().unwrap();
        let environment = Environment::from_iter([("HOME", home), ("USERPROFILE", home)]);
        let folder = self.dir.path().join(project);
        AgentFolders::new(&load(&environment, &folder, trust), &folder)
    }

    fn read(&self) -> AgentFiles {
        self.folders("project", EditorTrust::Trusted).read()
    }
}

fn agent(name: &str) -> String {
    format!("---\nname: {name}\ndescription: about {name}\n---\nBody\n")
}

fn names(found: &AgentFiles) -> Vec<(&str, AgentOrigin)> {
    let agents = found.agents.iter();
    agents
        .map(|agent| (agent.name.as_str(), agent.origin))
        .collect()
}

#[test]
fn those_of_the_project_come_first_and_each_by_its_file() {
    let disk = Disk::new();
    disk.write(&disk.user(), "a.md", &agent("mine"));
    disk.write(&disk.project(), "b.md", &agent("second"));
    disk.write(&disk.project(), "a.md", &agent("first"));
    let found = disk.read();
    assert_eq!(found.problems, []);
    assert_eq!(
        names(&found),
        [
            ("first", AgentOrigin::Project),
            ("second", AgentOrigin::Project),
            ("mine", AgentOrigin::User)
        ]
    );
}

#[test]
fn folders_that_are_not_there_hold_nothing() {
    let disk = Disk::new();
    assert_eq!(disk.read(), AgentFiles::default());
}

#[test]
fn a_file_that_cannot_be_used_is_a_problem_and_the_others_load() {
    let disk = Disk::new();
    disk.write(&disk.user(), "a.md", "no head\n");
    fs::write(disk.user().join("b.md"), b"---\nname: b\xff\n---\n").unwrap();
    let huge = fs::File::create(disk.user().join("c.md")).unwrap();
    huge.set_len(LARGEST_FILE + 1).unwrap();
    disk.write(&disk.user(), "d.md", &agent("good"));
    let found = disk.read();
    assert_eq!(names(&found), [("good", AgentOrigin::User)]);
    let messages: Vec<&str> = found.problems.iter().map(|p| p.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "no description of an agent stands at its beginning",
            "this byte is not valid UTF-8",
            "is larger than 1 MiB"
        ]
    );
}

#[test]
fn only_plain_markdown_files_of_the_folder_itself_count() {
    let disk = Disk::new();
    disk.write(&disk.user(), "_draft.md", "no head");
    disk.write(&disk.user(), "notes.txt", "no head");
    disk.write(&disk.user().join("below"), "a.md", &agent("below"));
    fs::create_dir(disk.user().join("folder.md")).unwrap();
    assert_eq!(disk.read(), AgentFiles::default());
}

#[test]
fn an_untrusted_project_brings_none_and_it_is_said() {
    let disk = Disk::new();
    disk.write(&disk.user(), "a.md", &agent("mine"));
    let silent = disk.folders("project", EditorTrust::Untrusted).read();
    assert_eq!(silent.problems, []);
    disk.write(&disk.project(), "a.md", &agent("theirs"));
    let found = disk.folders("project", EditorTrust::Untrusted).read();
    assert_eq!(names(&found), [("mine", AgentOrigin::User)]);
    let [problem] = found.problems.as_slice() else {
        panic!("one is told")
    };
    assert_eq!(problem.path, disk.project());
}

#[test]
fn in_the_home_folder_they_are_the_users() {
    let disk = Disk::new();
    disk.write(&disk.user(), "a.md", &agent("mine"));
    let found = disk.folders("", EditorTrust::Trusted).read();
    assert_eq!(names(&found), [("mine", AgentOrigin::User)]);
}

#[test]
fn the_stamp_changes_with_the_files_and_not_otherwise() {
    let disk = Disk::new();
    let stamp = || disk.folders("project", EditorTrust::Trusted).stamp();
    assert_eq!(stamp(), FolderStamp::default());
    disk.write(&disk.project(), "a.md", &agent("one"));
    let one = stamp();
    assert_eq!(stamp(), one);
    disk.write(&disk.project(), "a.md", &agent("other"));
    let other = stamp();
    assert_ne!(other, one);
    disk.write(&disk.user(), "b.md", &agent("two"));
    assert_ne!(stamp(), other);
}
