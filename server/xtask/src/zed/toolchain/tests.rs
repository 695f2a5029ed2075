use super::*;

#[test]
fn the_version_of_the_compiler_is_read() {
    let said = "rustc 1.95.0 (59807616e 2026-04-14)\n";
    assert_eq!(version(said), Some("1.95.0".to_owned()));
    assert_eq!(version(""), None);
}
