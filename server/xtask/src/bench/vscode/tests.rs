use super::*;

fn table_of(lines: &[&str]) -> String {
    let mut table = Table::beside(vec!["without".to_owned()]);
    for line in lines {
        add(&mut table, parse(line).unwrap());
    }
    table.to_string()
}

#[test]
fn figures_of_all_kinds_make_one_table() {
    let table = table_of(&[
        r#"{"what":"start","unit":"ms","value":12}"#,
        r#"{"what":"frame","unit":"ms","value":16.64,"p95":17,"worst":30.01}"#,
        r#"{"what":"heap","unit":"bytes","value":12345678}"#,
        r#"{"what":"idle","unit":"cpu","value":150,"without":100}"#,
        r#"{"what":"busy","unit":"cpu","value":300,"without":100}"#,
    ]);
    expect_test::expect![[r#"
        what                            value  without         target
        start                         12.0 ms
        frame  16.6 ms (p95 17.0, worst 30.0)
        heap                         12.35 MB
        idle                           150 ms   100 ms  < 100 ms more  ok
        busy                           300 ms   100 ms  < 100 ms more  over
        target missed: busy: 300 ms, wanted < 100 ms more
    "#]]
    .assert_eq(&table);
}

#[test]
fn a_line_that_is_no_figure_is_named() {
    let error = parse("Error: no browser").unwrap_err();
    assert_eq!(error.to_string(), "this is no figure: Error: no browser");
}
