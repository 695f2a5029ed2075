use std::fs;

use expect_test::expect;
use proptest::prelude::*;

use super::*;
use crate::shell;

/// Compiled as the binary is: each thing in a section of its own.
fn compiled(source: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (folder.path().join("a.rs"), folder.path().join("a.o"));
    fs::write(&from, source).unwrap();
    let mut rustc = shell::program("rustc");
    rustc.args(["--crate-type=lib", "--emit=obj", "-O", "--edition=2024"]);
    rustc.arg("--target=x86_64-unknown-linux-gnu");
    shell::run(rustc.arg(&from).arg("-o").arg(&to)).unwrap();
    fs::read(to).unwrap()
}

/// Texts that differ in every place, so that the compiler cannot know what is read.
const SOURCE: &str = r#"
    #[unsafe(no_mangle)] pub static FAR: [u8; 26] = *b"abcdefghijklmnopqrstuvwxyz";
    #[unsafe(no_mangle)] pub static NEAR: [u8; 26] = *b"bcdefghijklmnopqrstuvwxyza";
    #[unsafe(no_mangle)] pub static BEHIND: [u8; 26] = *b"cdefghijklmnopqrstuvwxyzab";
    #[unsafe(no_mangle)] pub static POINTER: &[u8; 26] = &BEHIND;
    #[unsafe(no_mangle)] pub static HUGE: [[u8; 26]; 200] = [*b"defghijklmnopqrstuvwxyzabc"; 200];
    #[unsafe(no_mangle)] pub fn runs(place: usize) -> u8 {
        NEAR[place] ^ std::hint::black_box(&POINTER)[place] ^ HUGE[place][place]
    }
    #[unsafe(no_mangle)] pub fn rests(place: usize) -> u8 { FAR[place] }
"#;

#[test]
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn constants_of_what_runs_are_found_also_through_a_pointer() {
    let object = compiled(SOURCE);
    let found = |function: &str| {
        let all = referred(&object, &[function.to_owned()]).unwrap();
        let ours = |name: &&str| {
            ["FAR", "NEAR", "BEHIND", "HUGE"]
                .iter()
                .any(|own| name.ends_with(own))
        };
        all.into_iter().filter(ours).collect::<Vec<_>>().join("\n")
    };
    expect![[r#"
        .rodata.NEAR
        .rodata.BEHIND"#]]
    .assert_eq(&found("runs"));
    expect![".rodata.FAR"].assert_eq(&found("rests"));
    expect![""].assert_eq(&found("nobody"));
}

#[test]
fn the_linker_is_told_the_order() {
    expect![[r#"
        SECTIONS { .rodata.first : {
          *(".rodata..Lanon.1")
          *(".rodata.b")
        } }
        INSERT BEFORE .rodata;
    "#]]
    .assert_eq(&script(&[".rodata..Lanon.1", ".rodata.b"]));
}

proptest! {
    #[test]
    fn any_bytes_are_read_without_a_panic(mut bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _whatever = Object::read(&bytes);
        for (place, byte) in b"\x7fELF\x02\x01".iter().enumerate() {
            if let Some(there) = bytes.get_mut(place) {
                *there = *byte;
            }
        }
        let _whatever = referred(&bytes, &["a".to_owned()]);
    }
}
