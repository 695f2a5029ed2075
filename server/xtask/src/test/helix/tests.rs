use super::*;

#[test]
fn a_version_is_read_and_an_old_one_is_not_enough() {
    assert_eq!(version("helix 25.07.1 (abc)\n"), Some((25, 7)));
    assert_eq!(version("helix 25.07\n"), Some((25, 7)));
    assert!(version("helix 25.01.1\n") < Some(OLDEST));
    assert_eq!(version("hx: a hex editor"), None);
}
