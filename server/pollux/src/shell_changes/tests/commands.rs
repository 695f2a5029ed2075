use expect_test::expect;
use pollux_agent::{ShellWatch, Upcoming};

use super::world::World;

#[tokio::test]
async fn sed_changes_a_clean_file_a_dirty_one_and_an_untracked_one() {
    let world = World::repository();
    let told = world
        .told("sed -i 's/$/!/' clean.txt dirty.txt untracked.txt noise.log")
        .await;
    expect![[r#"
        clean.txt: "clean\n" => "clean!\n"
        dirty.txt: "dirty\n" => "dirty!\n"
        untracked.txt: "untracked\n" => "untracked!\n"
    "#]]
    .assert_eq(&told);
}

#[tokio::test]
async fn git_checkout_throws_away_what_was_dirty() {
    let world = World::repository();
    let told = world.told("git checkout -q -- dirty.txt").await;
    expect![[r#"
        dirty.txt: "dirty\n" => "committed\n"
    "#]]
    .assert_eq(&told);
}

#[tokio::test]
async fn another_branch_changes_makes_and_deletes_files() {
    let world = World::repository();
    world.shell(
        "git checkout -qb other && git rm -q src/deep.txt && echo other >clean.txt && echo more >more.txt \
         && git add clean.txt more.txt && git commit -qm other && git checkout -q main",
    );
    let told = world.told("git checkout -q other").await;
    expect![[r#"
        clean.txt: "clean\n" => "other\n"
        more.txt: nothing => "more\n"
        src/deep.txt: "deep\n" => nothing
    "#]]
    .assert_eq(&told);
}

#[tokio::test]
async fn a_commit_changes_no_file() {
    let world = World::repository();
    assert_eq!(world.told("git add . && git commit -qm all").await, "");
}

#[tokio::test]
async fn what_is_moved_is_one_change() {
    let world = World::repository();
    let told = world
        .told("mkdir new && mv clean.txt new/name.txt && mv src new/")
        .await;
    expect![[r#"
        new/name.txt (was clean.txt): "clean\n" => "clean\n"
        new/src/deep.txt (was src/deep.txt): "deep\n" => "deep\n"
    "#]]
    .assert_eq(&told);
}

#[tokio::test]
async fn what_is_removed_comes_from_git_or_from_a_copy() {
    let world = World::repository();
    let told = world
        .told("rm -r src dirty.txt untracked.txt noise.log")
        .await;
    expect![[r#"
        dirty.txt: "dirty\n" => nothing
        src/deep.txt: "deep\n" => nothing
        untracked.txt: "untracked\n" => nothing
    "#]]
    .assert_eq(&told);
}

#[tokio::test]
async fn a_formatter_that_replaces_files_and_touches_others() {
    let world = World::repository();
    let told = world
        .told("for f in *.txt src/*.txt; do tr a-z A-Z <$f >$f.tmp; mv $f.tmp $f; done; touch .gitignore")
        .await;
    expect![[r#"
        clean.txt: "clean\n" => "CLEAN\n"
        dirty.txt: "dirty\n" => "DIRTY\n"
        src/deep.txt: "deep\n" => "DEEP\n"
        untracked.txt: "untracked\n" => "UNTRACKED\n"
    "#]]
    .assert_eq(&told);
}

#[tokio::test]
async fn a_change_of_the_same_size_that_hides_its_time_is_seen() {
    let world = World::repository();
    let told = world
        .told("touch -r clean.txt then && printf 'CLEAN\\n' >clean.txt && touch -r then clean.txt && rm then")
        .await;
    expect![[r#"
        clean.txt: "clean\n" => "CLEAN\n"
    "#]]
    .assert_eq(&told);
}

#[tokio::test]
async fn modes_links_and_bytes_that_are_no_text() {
    let world = World::repository();
    world.write("bytes.bin", [0xff, 0x00, 0x01]);
    world.write("tool.sh", "exit\n");
    world.mode("tool.sh", 0o755);
    world.shell("ln -s clean.txt link");
    let told = world
        .told("chmod +x clean.txt && chmod 644 tool.sh && ln -sfn dirty.txt link && printf '\\377\\002' >bytes.bin && ln -s nowhere new")
        .await;
    expect![[r#"
        bytes.bin: "�\0\u{1}" => "�\u{2}"
        clean.txt: "clean\n" => "clean\n" 755
        link: -> clean.txt => -> dirty.txt
        new: nothing => -> nowhere
        tool.sh: "exit\n" 755 => "exit\n"
    "#]]
    .assert_eq(&told);
}

#[tokio::test]
async fn a_write_through_a_link_is_a_change_of_the_file_behind_it() {
    let world = World::repository();
    world.shell("ln -s clean.txt link");
    let told = world.told("echo more >>link").await;
    expect![[r#"
        clean.txt: "clean\n" => "clean\nmore\n"
    "#]]
    .assert_eq(&told);
}

#[tokio::test]
async fn without_git_everything_is_copied() {
    let world = World::new();
    world.write("a.txt", "a\n");
    world.write("b/c.txt", "c\n");
    let told = world
        .told("echo x >>a.txt && rm -r b && echo new >d.txt")
        .await;
    expect![[r#"
        a.txt: "a\n" => "a\nx\n"
        b/c.txt: "c\n" => nothing
        d.txt: nothing => "new\n"
    "#]]
    .assert_eq(&told);
}

#[tokio::test]
async fn what_an_editor_holds_is_what_was_there() {
    let mut world = World::repository();
    world.known = vec![(world.root.join("clean.txt"), "typed\n".into())];
    let told = world.told("echo x >>clean.txt; touch dirty.txt").await;
    expect![[r#"
        clean.txt: "typed\n" in an editor => "clean\nx\n"
    "#]]
    .assert_eq(&told);
}

#[tokio::test]
async fn a_rule_that_comes_or_goes_changes_no_file() {
    let world = World::repository();
    let told = world.told("echo 'untracked*' >.gitignore").await;
    expect![[r#"
        .gitignore: "*.log\n" => "untracked*\n"
    "#]]
    .assert_eq(&told);
}

#[tokio::test]
async fn a_workspace_below_the_root_of_its_repository_has_git_too() {
    let mut world = World::repository();
    world.limits.copies.files = 0;
    world.folder.root = world.root.join("src");
    let told = world.told("echo x >>deep.txt").await;
    expect![[r#"
        deep.txt: "deep\n" => "deep\nx\n"
    "#]]
    .assert_eq(&told);
}

#[tokio::test]
async fn a_linked_work_tree_has_an_index_of_its_own() {
    let mut world = World::repository();
    world.shell("git worktree add -q ../linked && cd ../linked && touch -d '1 hour ago' *.txt && git status -s");
    world.limits.copies.files = 0;
    world.folder.root = world.root.parent().unwrap().join("linked");
    let told = world.told("echo x >>clean.txt").await;
    assert!(told.starts_with("clean.txt: \"clean\\n\" => "), "{told}");
}

#[tokio::test]
async fn a_command_that_only_reads_is_not_watched() {
    let world = World::repository();
    for (command, is_watched) in [("ls -la", false), ("cat clean.txt", false), ("make", true)] {
        let upcoming = Upcoming {
            command,
            folder: &world.root,
            known: Vec::new(),
        };
        let watching = world.watch().before(upcoming).await;
        assert_eq!(watching.is_some(), is_watched, "{command}");
    }
}

#[tokio::test]
async fn nothing_is_written_to_what_belongs_to_git() {
    let world = World::repository();
    let stamps = || -> Vec<_> {
        let entries = std::fs::read_dir(world.root.join(".git")).unwrap();
        let mut all: Vec<_> = entries
            .map(|entry| entry.unwrap())
            .map(|entry| {
                (
                    entry.file_name(),
                    entry.metadata().unwrap().modified().unwrap(),
                )
            })
            .collect();
        all.sort();
        all
    };
    let before = stamps();
    world.told("echo x >>clean.txt; touch dirty.txt").await;
    assert_eq!(stamps(), before);
}

#[tokio::test]
async fn a_folder_that_comes_with_a_rule_is_new_all_the_same() {
    let world = World::repository();
    world.shell("mkdir ../away && echo far >../away/far.txt && git status -s");
    let told = world.told("mv ../away here && echo >.gitignore").await;
    expect![[r#"
        .gitignore: "*.log\n" => "\n"
        here/far.txt: nothing => "far\n"
    "#]]
    .assert_eq(&told);
}
