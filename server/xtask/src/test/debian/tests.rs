use super::*;

#[test]
fn the_archive_of_a_release_is_the_mirror() {
    let targets = "https://mirror.example/other/ nodistro\n\
                   https://mirror.example/debian-security/ bookworm-security\n\
                   https://mirror.example/debian/ bookworm\n";
    assert_eq!(mirror(targets), Some("https://mirror.example/debian/"));
    assert_eq!(mirror(""), None);
}
