use expect_test::expect;

use super::{own_object, with_unwinder, without_strip};

#[test]
fn the_second_link_keeps_names_and_brings_the_unwinder() {
    let call = "-pie\na.o\n-l gcc_s\n-l c\n--gc-sections\n--strip-all\n";
    expect![[r#"
        -pie
        a.o
        libgcc_eh.a
        -l c
        --gc-sections"#]]
    .assert_eq(&with_unwinder(&without_strip(call)));
}

#[test]
fn our_object_is_told_from_those_of_the_system() {
    let call = "usr/lib/Scrt1.o\nwork/deps/pollux-1.pollux.2-cgu.0.rcgu.o\nlibring.rlib\n";
    assert_eq!(
        own_object(call),
        Some("work/deps/pollux-1.pollux.2-cgu.0.rcgu.o")
    );
}
