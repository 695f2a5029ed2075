use super::*;

#[test]
fn a_package_is_named_after_the_machine_that_its_program_was_built_for() {
    assert_eq!(platform("linux", "x86_64").unwrap(), "linux-x64");
    assert_eq!(platform("linux", "aarch64").unwrap(), "linux-arm64");
    assert_eq!(platform("macos", "aarch64").unwrap(), "darwin-arm64");
    assert_eq!(platform("windows", "x86_64").unwrap(), "win32-x64");
    let refused = platform("plan9", "mips").unwrap_err().to_string();
    assert_eq!(refused, "VS Code has no name for plan9 on mips");
}
