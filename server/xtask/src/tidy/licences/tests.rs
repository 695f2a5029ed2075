use expect_test::expect;

use super::{check, satisfied};
use crate::tidy::finding::listing;
use crate::tidy::metadata::{Metadata, Package};

#[test]
fn expressions_mean_what_spdx_says() {
    let table: String = [
        "MIT",
        "MIT/Apache-2.0",
        "GPL-3.0 OR MIT",
        "GPL-3.0 AND MIT",
        "(MIT OR GPL-3.0) AND Unicode-3.0",
        "Apache-2.0 WITH LLVM-exception OR GPL-2.0",
        "GPL-2.0 WITH Classpath-exception-2.0",
        "MIT OR GPL-3.0 AND GPL-2.0",
        "(MIT",
        "MIT MIT",
        "",
    ]
    .iter()
    .map(|expression| format!("{expression} => {:?}\n", satisfied(expression)))
    .collect();
    expect![[r#"
        MIT => Some(true)
        MIT/Apache-2.0 => Some(true)
        GPL-3.0 OR MIT => Some(true)
        GPL-3.0 AND MIT => Some(false)
        (MIT OR GPL-3.0) AND Unicode-3.0 => Some(true)
        Apache-2.0 WITH LLVM-exception OR GPL-2.0 => Some(true)
        GPL-2.0 WITH Classpath-exception-2.0 => Some(false)
        MIT OR GPL-3.0 AND GPL-2.0 => Some(true)
        (MIT => None
        MIT MIT => None
         => None
    "#]]
    .assert_eq(&table);
}

#[test]
fn a_crate_that_may_not_be_shipped_is_named() {
    let package = |name: &str, licence: Option<&str>| Package {
        name: name.to_owned(),
        version: "1.2.3".to_owned(),
        licence: licence.map(str::to_owned),
        ..Package::default()
    };
    let metadata = Metadata::of(vec![
        package("fine", Some("MIT OR Apache-2.0")),
        package("viral", Some("AGPL-3.0")),
        package("silent", None),
    ]);
    expect![[r#"
        viral 1.2.3: licence `AGPL-3.0` is not on the allow list: use another crate
        silent 1.2.3: names no licence: use another crate
    "#]]
    .assert_eq(&listing(&check(&metadata)));
}
