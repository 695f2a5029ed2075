use expect_test::{Expect, expect};

use super::*;
use crate::shell::parse;

fn check_writes(command: &str, expected: &[&str]) {
    let script = parse(command).unwrap();
    let written: Vec<String> = writes(&script)
        .iter()
        .map(|written| written.word.text().to_owned())
        .collect();
    assert_eq!(written, expected, "{command}");
}

#[test]
fn what_is_written_is_found() {
    check_writes("ls -la src", &[]);
    check_writes("ls > out.txt 2> err.txt", &["out.txt", "err.txt"]);
    check_writes("ls >> log 2>&1 > /dev/null", &["log"]);
    check_writes("ls | tee -a one two", &["one", "two"]);
    check_writes("cp a b dir", &["dir", "dir/a", "dir/b"]);
    check_writes("cp -t dir a b", &["dir", "dir/a", "dir/b"]);
    check_writes("mv a b", &["b", "a", "b/a"]);
    check_writes("install -m 755 a b", &["b", "b/a"]);
    check_writes("dd if=a of=b bs=1M", &["b"]);
    check_writes("sed -i s/a/b/ one two", &["one", "two"]);
    check_writes("sed -i.bak -e s/a/b/ one", &["one"]);
    check_writes("sed s/a/b/ one", &[]);
    check_writes("sort -o out in", &["out"]);
    check_writes("sort -oout in", &["out"]);
    check_writes("curl -o page https://example.com", &["page"]);
    check_writes("git diff --output=patch", &["patch"]);
    check_writes("truncate -s 0 log", &["log"]);
    check_writes("sudo bash -c 'echo x > /etc/hosts'", &["/etc/hosts"]);
    check_writes("ls > \"$x\"", &["\"$x\""]);
    check_writes("find . -fprint list", &["list"]);
    check_writes("rm -rf -- -x", &["-x"]);
}

fn check_destructive(command: &str, expected: Expect) {
    let script = parse(command).unwrap();
    let shown: Vec<String> = destructive(&script)
        .iter()
        .map(|found| format!("{:?} {:?} by {}\n", found.kind, found.affected, found.text))
        .collect();
    expected.assert_eq(&shown.concat());
}

#[test]
fn deleted_files_are_named() {
    check_destructive(
        "rm -rf build 'a b'",
        expect![[r#"
        Delete Paths(["build", "a b"]) by rm -rf build 'a b'
    "#]],
    );
    check_destructive(
        "ls && sudo rm x",
        expect![[r#"
        Delete Paths(["x"]) by rm x
    "#]],
    );
    check_destructive(
        "find src -name '*.o' -delete",
        expect![[r#"
        Delete Paths(["src"]) by find src -name '*.o' -delete
    "#]],
    );
    check_destructive(
        "find . -exec rm {} +",
        expect![[r#"
        Delete WorkTree by rm {}
    "#]],
    );
    check_destructive(
        "ls | xargs rm",
        expect![[r#"
        Delete WorkTree by rm …
    "#]],
    );
    check_destructive(
        "rm *.o",
        expect![[r#"
            Delete Paths(["."]) by rm *.o
        "#]],
    );
    check_destructive(
        "rsync -a --delete src/ dst/",
        expect![[r#"
        Delete Paths(["dst/"]) by rsync -a --delete src/ dst/
    "#]],
    );
    check_destructive(
        "bash -c 'rm -r x'",
        expect![[r#"
        Delete Paths(["x"]) by rm -r x
    "#]],
    );
}

#[test]
fn a_cd_and_a_pattern_widen_what_is_kept() {
    check_destructive(
        "cd sub && rm -rf x /y",
        expect![[r#"
        Delete Paths(["x", "/y", "sub/x"]) by rm -rf x /y
    "#]],
    );
    check_destructive(
        "cd $x && rm -rf y",
        expect![[r#"
        Delete WorkTree by rm -rf y
    "#]],
    );
    check_destructive(
        "cd sub && ls > out",
        expect![[r#"
        Overwrite Paths(["out", "sub/out"]) by > out
    "#]],
    );
    check_destructive(
        "rm -rf src/*.o /tmp/a* {a,b}",
        expect![[r#"
        Delete Paths(["src", "/tmp", "."]) by rm -rf src/*.o /tmp/a* {a,b}
    "#]],
    );
    check_destructive(
        "rm -rf \"$x\"",
        expect![[r#"
        Delete WorkTree by rm -rf "$x"
    "#]],
    );
    check_destructive(
        "ls > $x",
        expect![[r#"
        Overwrite WorkTree by > $x
    "#]],
    );
    check_destructive(
        "cp a *",
        expect![[r#"
        Overwrite Paths(["."]) by cp a *
    "#]],
    );
}

#[test]
fn overwritten_files_are_named() {
    check_destructive(
        "mv a b",
        expect![[r#"
        Overwrite Paths(["b", "a"]) by mv a b
    "#]],
    );
    check_destructive(
        "cp a b",
        expect![[r#"
        Overwrite Paths(["b"]) by cp a b
    "#]],
    );
    check_destructive(
        "ls > out",
        expect![[r#"
        Overwrite Paths(["out"]) by > out
    "#]],
    );
    check_destructive("ls >> out; ls > /dev/null", expect![""]);
    check_destructive(
        "sed -i s/a/b/ one",
        expect![[r#"
        Overwrite Paths(["one"]) by sed -i s/a/b/ one
    "#]],
    );
    check_destructive(
        "dd if=a of=b",
        expect![[r#"
        Overwrite Paths(["b"]) by dd if=a of=b
    "#]],
    );
    check_destructive(
        "truncate -s 0 log",
        expect![[r#"
        Overwrite Paths(["log"]) by truncate -s 0 log
    "#]],
    );
    check_destructive(
        "ls | tee out",
        expect![[r#"
        Overwrite Paths(["out"]) by tee out
    "#]],
    );
    check_destructive("ls | tee -a out", expect![""]);
    check_destructive(
        "shred -n 3 x",
        expect![[r#"
        Overwrite Paths(["x"]) by shred -n 3 x
    "#]],
    );
}

#[test]
fn git_throws_changes_away() {
    check_destructive(
        "git reset --hard HEAD~1",
        expect![[r#"
        Discard WorkTree by git reset --hard HEAD~1
    "#]],
    );
    check_destructive(
        "git checkout -- src/a.rs",
        expect![[r#"
        Discard Paths(["src/a.rs"]) by git checkout -- src/a.rs
    "#]],
    );
    check_destructive(
        "git checkout .",
        expect![[r#"
        Discard WorkTree by git checkout .
    "#]],
    );
    check_destructive(
        "git restore src",
        expect![[r#"
        Discard Paths(["src"]) by git restore src
    "#]],
    );
    check_destructive("git restore --staged src", expect![""]);
    check_destructive(
        "git clean -fdx",
        expect![[r#"
        Delete WorkTree by git clean -fdx
    "#]],
    );
    check_destructive("git clean -n", expect![""]);
    check_destructive(
        "git switch -f main",
        expect![[r#"
        Discard WorkTree by git switch -f main
    "#]],
    );
    check_destructive("git switch main", expect![""]);
    check_destructive(
        "git stash drop",
        expect![[r#"
        Discard WorkTree by git stash drop
    "#]],
    );
    check_destructive(
        "git rm -r src",
        expect![[r#"
        Delete Paths(["src"]) by git rm -r src
    "#]],
    );
    check_destructive(
        "git -C sub checkout -- a",
        expect![[r#"
        Discard WorkTree by git -C sub checkout -- a
    "#]],
    );
    check_destructive("git status && git log", expect![""]);
}
