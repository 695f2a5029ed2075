use super::*;

#[test]
fn its_version_is_the_one_that_is_pinned() {
    assert_eq!(
        version("attrs==26.1.0\nbatrachian-toad==0.6.20\n"),
        Some("0.6.20")
    );
    assert_eq!(version("toad==1.0"), None);
    let pins = fs::read_to_string(requirements()).unwrap();
    assert!(version(&pins).is_some());
    assert!(pins.lines().all(|line| line.contains("==")), "{pins}");
}
