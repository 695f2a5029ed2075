#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::fs;

use super::*;

/// Follows pointers that were relocated, and says how their page may be used.
const SOURCE: &str = r#"
    static WORDS: [&str; 3] = ["one", "two", "three"];
    fn main() {
        let words = std::hint::black_box(&WORDS);
        let place = words.as_ptr() as usize;
        let number = |digits| usize::from_str_radix(digits, 16).unwrap();
        for line in std::fs::read_to_string("/proc/self/maps").unwrap().lines() {
            let (range, rest) = line.split_once(' ').unwrap();
            let (start, end) = range.split_once('-').unwrap();
            if (number(start)..number(end)).contains(&place) {
                println!("{} {}", words.concat(), &rest[..4]);
            }
        }
    }
"#;

#[test]
fn a_program_relocates_itself_and_protects_what_was_protected() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.rs"), SOURCE).unwrap();
    compile(folder.path()).unwrap();
    let mut rustc = shell::program("rustc");
    rustc.current_dir(folder.path()).args(["-O", "a.rs"]);
    for option in LINK {
        let option = match option.strip_prefix("--") {
            Some(_) => format!("-Clink-arg=-Wl,{option}"),
            None => format!("-Clink-arg={option}"),
        };
        rustc.arg(option);
    }
    shell::run(&mut rustc).unwrap();
    let said = shell::answer(&mut shell::program(folder.path().join("a"))).unwrap();
    assert_eq!(said, "onetwothree r--p\n");
}
