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
    "#]]
    .assert_eq(&table.to_string());
}
