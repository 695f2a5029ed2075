use expect_test::expect;

use super::{with_unwinder, without_strip};

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
