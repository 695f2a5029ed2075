use expect_test::expect;

use super::check;
use crate::tidy::finding::listing;
use crate::tidy::tree::Tree;

#[test]
fn small_files_and_long_tests_pass() {
    let tree = Tree::of(&[
        ("server/a/src/lib.rs", &"mod b;\n".repeat(80)),
        ("server/a/src/b.rs", &"fn f() {}\n".repeat(500)),
        ("server/a/src/b/tests.rs", &"fn f() {}\n".repeat(800)),
        ("Cargo.lock", &"x\n".repeat(5000)),
    ]);
    expect![""].assert_eq(&listing(&check(&tree)));
}

#[test]
fn long_files_and_mod_files_are_named() {
    let tree = Tree::of(&[
        ("a/lib.rs", &"mod b;\n".repeat(81)),
        ("a/long.rs", &"fn f() {}\n".repeat(501)),
        ("a/mod.rs", ""),
        ("a/tests.rs", &"fn f() {}\n".repeat(801)),
        ("a/view.ts", &"let a;\n".repeat(801)),
    ]);
    expect![[r#"
        a/lib.rs: 81 lines; lib.rs is a contents page of at most 80: move the code into modules
        a/long.rs: note: 501 lines, 500 is the aim: can it be split?
        a/mod.rs: a module is `foo.rs` beside `foo/`: rename it
        a/tests.rs: 801 lines, at most 800: split it by what its parts own
        a/view.ts: 801 lines, at most 800: split it by what its parts own
    "#]]
    .assert_eq(&listing(&check(&tree)));
}
