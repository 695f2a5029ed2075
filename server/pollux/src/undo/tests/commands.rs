//! Each destructive command, kept, run for real, and undone.

use super::world::World;

#[tokio::test]
async fn a_hard_reset_is_undone() {
    let world = World::repository();
    let status = world.shell("git status --porcelain");
    let outcome = world.comes_back("git reset --hard").await;
    assert_eq!(world.shell("git status --porcelain"), status);
    assert_eq!(outcome.notes, [""; 0]);
}

#[tokio::test]
async fn a_hard_reset_to_another_commit_is_undone_and_says_which_it_was() {
    let world = World::repository();
    let head = world.shell("git rev-parse --short=12 HEAD");
    let outcome = world.comes_back("git reset --hard HEAD~2").await;
    assert_eq!(outcome.notes.len(), 1);
    let head = head.trim();
    assert!(outcome.notes[0].contains(&format!("`git reset --soft {head}`")));
    world.shell(&format!("git reset --soft {head}"));
}

#[tokio::test]
async fn a_hard_reset_forward_removes_what_came_with_the_other_commit() {
    let world = World::repository();
    let head = world.shell("git rev-parse HEAD");
    world.shell("git reset -q --hard HEAD~2");
    world.write("mine.txt", "mine");
    let outcome = world
        .comes_back(&format!("git reset --hard {}", head.trim()))
        .await;
    assert!(outcome.removed.contains(&world.root.join("later/new.txt")));
}

#[tokio::test]
async fn checked_out_files_are_undone() {
    for command in [
        "git checkout -- a.txt",
        "git checkout -- .",
        "git checkout -- src",
        "git checkout .",
        "git restore a.txt src",
        "git checkout HEAD~2 -- a.txt",
        "git checkout -f",
        "git checkout -- '*.txt'",
    ] {
        World::repository().comes_back(command).await;
    }
}

#[tokio::test]
async fn another_branch_is_undone() {
    let world = World::repository();
    world.shell("git branch old HEAD~2");
    world.comes_back("git checkout -f old").await;
    world.shell("git checkout -q -f main");
    world.write("a.txt", "again");
    world.comes_back("git switch --discard-changes old").await;
}

#[tokio::test]
async fn a_clean_is_undone() {
    for command in [
        "git clean -fd",
        "git clean -f -- new/deep",
        "git clean -fdx",
        "git clean -fdX",
        "git clean -fd new",
    ] {
        World::repository().comes_back(command).await;
    }
}

#[tokio::test]
async fn a_nested_repository_that_is_cleaned_away_is_undone() {
    let world = World::repository();
    world.shell("git init -q nested && echo x > nested/x");
    world.comes_back("git clean -ffd").await;
    world.shell("git -C nested status");
}

#[tokio::test]
async fn removed_files_and_folders_are_undone() {
    for command in [
        "rm -r src",
        "rm -rf src new empty link",
        "rm a.txt",
        "rm *.txt *.sh",
        "rm -r -- n*",
        "rm -rf .git src",
        "cd src && rm -r ../new b.txt",
        "rmdir -p empty/inside",
        "find new -delete",
        "git rm -qrf src",
        "rm -rf ./*",
        "unlink a.txt",
    ] {
        World::repository().comes_back(command).await;
    }
}

#[tokio::test]
async fn moves_are_undone() {
    for command in [
        "mv -f a.txt src/b.txt",
        "mv a.txt tool.sh src",
        "mv a.txt elsewhere",
        "mv src empty",
        "mv *.txt new",
        "mv -t new a.txt src/b.txt",
        "mv -f link src/b.txt",
        "mv -T src empty/inside",
    ] {
        World::repository().comes_back(command).await;
    }
}

#[tokio::test]
async fn overwritten_files_are_undone() {
    for command in [
        "cp a.txt src/b.txt",
        "cp a.txt src/b.txt empty && rm tool.sh",
        "echo x > a.txt",
        "echo x > link",
        "echo x | tee a.txt",
        "sed -i s/by/BY/ a.txt",
        "truncate -s 1 a.txt",
        "ln -sf tool.sh link",
        "cd src && echo x > b.txt",
        "shred -u a.txt",
    ] {
        World::repository().comes_back(command).await;
    }
}

#[tokio::test]
async fn what_a_variable_names_comes_back_as_far_as_git_knows_it() {
    World::repository()
        .comes_back("for x in src new; do rm -r $x; done")
        .await;
}

#[tokio::test]
async fn without_git_a_variable_means_the_whole_workspace() {
    let world = World::new();
    world.write("a", "1");
    world.write("b/c", "2");
    world.comes_back("for x in a b; do rm -r $x; done").await;
}

#[tokio::test]
async fn dropped_stashes_come_back_in_their_order() {
    let world = World::repository();
    world.shell("git stash -q -m one && echo 2 > a.txt && git stash -q -m two && echo 3 > a.txt");
    world.shell("git stash -q -m three");
    let before = world.shell("git stash list");
    world.keep_and_run("git stash clear").await;
    assert_eq!(world.shell("git stash list"), "");
    // Files are none of a stash's business once it is one.
    world.write("a.txt", "meanwhile");
    let outcome = world.undo(None).await;
    assert_eq!((outcome.stashes, outcome.failed), (3, Vec::new()));
    assert_eq!(world.shell("git stash list"), before);
    assert_eq!(world.read("a.txt"), "meanwhile");
}

#[tokio::test]
async fn a_repository_elsewhere_is_found_by_the_words_that_lead_to_it() {
    let world = World::new();
    world.shell("git init -q -b main sub && cd sub && echo 1 > x && git add x && git commit -qm x");
    for command in ["git -C sub reset --hard", "cd sub && git reset --hard"] {
        world.write("sub/x", "changed");
        world.comes_back(command).await;
    }
}
