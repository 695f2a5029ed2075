use expect_test::expect;

use super::{Table, Target};

#[test]
fn columns_are_aligned_and_targets_judged() {
    let mut table = Table::default();
    table.row("empty program", "0.90 ms", Some(1.0), Target::None);
    table.row("warm", "4.10 ms", Some(4.555), Target::Ratio(5.0));
    table.row("cold, no host", "13.00 ms", Some(14.4), Target::Ratio(12.0));
    table.row(
        "memory",
        "15.00 MB",
        None,
        Target::Value {
            most: 15.0,
            found: 15.0,
            written: "15 MB".to_owned(),
        },
    );
    expect![[r#"
        what              value   ratio   target
        empty program   0.90 ms   1.00×
        warm            4.10 ms   4.55×     ≤ 5×  ok
        cold, no host  13.00 ms  14.40×    ≤ 12×  over
        memory         15.00 MB          < 15 MB  over
        target missed: cold, no host: 14.40×, wanted ≤ 12×
        target missed: memory: 15.00 MB, wanted < 15 MB
    "#]]
    .assert_eq(&table.to_string());
}

#[test]
fn peers_have_a_column_each_and_may_have_nothing_to_show() {
    let mut table = Table::beside(vec!["one".to_owned(), "two".to_owned()]);
    table.row("start", "9 ms", None, Target::None);
    table.peers(vec!["90 ms (10.0×)".to_owned(), "18 ms (2.0×)".to_owned()]);
    table.row("memory", "5 MB", Some(0.5), Target::Ratio(1.0));
    expect![[r#"
        what    value  ratio            one           two  target
        start    9 ms         90 ms (10.0×)  18 ms (2.0×)
        memory   5 MB  0.50×                                 ≤ 1×  ok
    "#]]
    .assert_eq(&table.to_string());
}
