use expect_test::expect;

use super::*;

#[test]
fn a_read_only_command_writes_to_its_scratch_folder_only() {
    let profile = SandboxProfile::read_only(Path::new("/private/tmp/pollux-1"));
    expect![[r#"
        (version 1)
        (allow default)
        (deny file-write*)
        (allow file-write-data file-ioctl
            (literal "/dev/null")
            (literal "/dev/zero")
            (literal "/dev/tty"))
        (allow file-write*
            (subpath "/private/tmp/pollux-1"))
        (deny network*)
        (deny signal)
        (allow signal (target same-sandbox))
    "#]]
    .assert_eq(&profile.to_seatbelt().unwrap());
}

#[test]
fn a_workspace_can_be_written_and_the_network_allowed() {
    let mut profile = SandboxProfile::for_workspace(&["/work".into()], Path::new("/tmp/p"));
    profile.network = Network::Allowed;
    profile.readable = Readable::Only(vec!["/usr".into()]);
    let text = profile.to_seatbelt().unwrap();
    assert!(
        text.contains("(allow file-write*\n    (subpath \"/work\")\n    (subpath \"/tmp/p\"))")
    );
    assert!(text.contains("(deny file-read-data)\n(allow file-read-data\n    (subpath \"/usr\"))"));
    assert!(!text.contains("network"));
}

#[test]
fn a_path_cannot_add_rules() {
    let profile = SandboxProfile::read_only(Path::new("/a\") (allow network*) (\\"));
    let text = profile.to_seatbelt().unwrap();
    assert!(
        text.contains("(subpath \"/a\\\") (allow network*) (\\\\\")"),
        "{text}"
    );
    let newline = SandboxProfile::read_only(Path::new("/a\nb"));
    assert_eq!(newline.to_seatbelt(), None);
}
