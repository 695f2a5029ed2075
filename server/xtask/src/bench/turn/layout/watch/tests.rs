#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::fs;

use super::*;

/// Calls `second` in another thread, more than once, and starts itself a second time.
const SOURCE: &str = r#"
    #[inline(never)] #[unsafe(no_mangle)] pub extern "C" fn first() { std::hint::black_box(1); }
    #[inline(never)] #[unsafe(no_mangle)] pub extern "C" fn second() { std::hint::black_box(2); }
    #[inline(never)] #[unsafe(no_mangle)] pub extern "C" fn in_the_child() { std::hint::black_box(3); }
    #[inline(never)] #[unsafe(no_mangle)] pub extern "C" fn never() { std::hint::black_box(4); }
    fn main() {
        match std::env::args().nth(1).as_deref() {
            Some("child") => in_the_child(),
            Some(_) => never(),
            None => {
                first();
                for _ in 0..2 { std::thread::spawn(|| second()).join().unwrap(); }
                first();
                let mut child = std::process::Command::new(std::env::current_exe().unwrap());
                assert!(child.arg("child").status().unwrap().success());
            }
        }
    }
"#;

#[test]
fn functions_are_named_once_and_in_the_order_of_their_first_calls() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("a.rs"), SOURCE).unwrap();
    let mut rustc = shell::program("rustc");
    rustc.args(["-O", "--edition=2024"]).arg(path("a.rs"));
    shell::run(rustc.arg("-o").arg(path("a"))).unwrap();

    let watch = Watch::new(&path("a"), folder.path()).unwrap();
    let mut program = shell::program(path("a"));
    watch.follow(&mut program, &path("trace"));
    shell::run(&mut program).unwrap();

    let called = watch.called(&path("trace")).unwrap();
    let ours = ["first", "second", "in_the_child", "never"];
    let ours: Vec<&str> = called
        .into_iter()
        .filter(|name| ours.contains(name))
        .collect();
    assert_eq!(ours, ["first", "second"]);
}
