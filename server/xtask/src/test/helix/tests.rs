use super::*;

#[test]
fn a_version_is_read_and_an_old_one_is_not_enough() {
    assert_eq!(version("helix 25.07.1 (abc)\n"), Some((25, 7)));
    assert_eq!(version("helix 25.07\n"), Some((25, 7)));
    assert!(version("helix 25.01.1\n") < Some(OLDEST));
    assert_eq!(version("hx: a hex editor"), None);
}

#[test]
fn the_archive_of_a_release_is_the_mirror() {
    let targets = "https://mirror.example/other/ nodistro\n\
                   https://mirror.example/debian-security/ bookworm-security\n\
                   https://mirror.example/debian/ bookworm\n";
    assert_eq!(mirror(targets), Some("https://mirror.example/debian/"));
    assert_eq!(mirror(""), None);
}
