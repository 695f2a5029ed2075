use expect_test::expect;

use super::*;

#[test]
fn debug_output_names_variables_and_hides_values() {
    let environment = Environment::from_iter([("GEMINI_API_KEY", "s3cret"), ("HOME", "/home/u")]);
    expect![[r#"{"GEMINI_API_KEY", "HOME"}"#]].assert_eq(&format!("{environment:?}"));
}

#[test]
fn gemini_cli_home_replaces_the_home_folder() {
    let home = |pairs: &[(&str, &str)]| Environment::from_iter(pairs.iter().copied()).home();
    let name = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
    assert_eq!(home(&[]), None);
    assert_eq!(home(&[(name, "/h")]), Some("/h".into()));
    assert_eq!(
        home(&[(name, "/h"), ("GEMINI_CLI_HOME", "/other")]),
        Some("/other".into())
    );
    assert_eq!(
        home(&[(name, "/h"), ("GEMINI_CLI_HOME", "")]),
        Some("/h".into())
    );
}
