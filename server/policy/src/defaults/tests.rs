use super::*;

#[test]
fn the_shipped_rules_have_no_problems() {
    for file in shipped() {
        let loaded = crate::load(&file);
        assert_eq!(loaded.problems, [], "{}", file.source);
        assert!(
            loaded.rules.len() + loaded.checkers.len() > 0,
            "{}",
            file.source
        );
    }
}
