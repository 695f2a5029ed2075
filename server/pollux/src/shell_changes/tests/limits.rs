use expect_test::expect;

use super::world::World;

#[tokio::test]
async fn a_large_file_that_git_does_not_have_cannot_be_brought_back() {
    let mut world = World::repository();
    world.limits.copied_file = 5;
    let told = world
        .told("echo x | tee -a clean.txt untracked.txt >dirty.txt")
        .await;
    expect![[r#"
        clean.txt: "clean\n" => "clean\nx\n"
        dirty.txt: lost, it is too large to be kept
        untracked.txt: lost, it is too large to be kept
    "#]]
    .assert_eq(&told);
}

#[tokio::test]
async fn when_there_is_too_much_the_newest_files_are_copied() {
    let mut world = World::new();
    world.write("old.txt", "old\n");
    world.shell("touch -d '1 hour ago' old.txt");
    world.write("new.txt", "new\n");
    world.limits.copies.files = 1;
    let told = world.told("echo x | tee -a old.txt >>new.txt").await;
    expect![[r#"
        new.txt: "new\n" => "new\nx\n"
        old.txt: lost, there is too much that git does not have
    "#]]
    .assert_eq(&told);
}

#[tokio::test]
async fn what_git_has_lost_or_stores_otherwise_is_named() {
    let world = World::repository();
    let told = world.told("rm -r .git && echo x >>clean.txt").await;
    expect![[r#"
        clean.txt: lost, git no longer has it
    "#]]
    .assert_eq(&told);

    let world = World::new();
    world.write("a.txt", "one\r\n");
    world.shell(
        "git init -q && git config core.autocrlf true && touch -d '1 hour ago' a.txt && git add . && git commit -qm a",
    );
    let told = world.told("echo x >>a.txt").await;
    expect![[r#"
        a.txt: lost, git stores it in another form
    "#]]
    .assert_eq(&told);
}

#[tokio::test]
async fn too_many_changes_are_counted_and_too_many_files_are_not_watched() {
    let mut world = World::new();
    world.limits.changed.files = 2;
    let told = world.told("touch a b c d").await;
    expect![[r#"
        a: nothing => ""
        b: nothing => ""
        c: lost, too much has changed at once
        d: lost, too much has changed at once
    "#]]
    .assert_eq(&told);

    world.limits.scanned = 3;
    let told = world.told("touch e").await;
    expect![[r#"
        : lost, it has too many files to see what a command changes
    "#]]
    .assert_eq(&told);
}
