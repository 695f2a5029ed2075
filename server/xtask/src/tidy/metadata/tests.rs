use expect_test::expect;

use super::Metadata;

const REPORT: &str = r#"{
    "workspace_root": "/p",
    "workspace_members": ["path+file:///p/server/text#0.1.0"],
    "packages": [
        {
            "id": "path+file:///p/server/text#0.1.0",
            "name": "pollux-text",
            "version": "0.1.0",
            "manifest_path": "/p/server/text/Cargo.toml",
            "description": "Ropes",
            "license": "Apache-2.0",
            "dependencies": [
                {"name": "ropey", "req": "^1.6", "kind": null},
                {"name": "proptest", "req": "^1", "kind": "dev"}
            ]
        },
        {"id": "registry#ropey@1.6.1", "name": "ropey", "version": "1.6.1", "license": null}
    ]
}"#;

#[test]
fn packages_are_told_apart_by_where_they_come_from() {
    let metadata = Metadata::parse(REPORT).unwrap();
    let listing: String = metadata
        .packages()
        .map(|package| format!("{package:?}\n"))
        .collect();
    expect![[r#"
        Package { name: "pollux-text", version: "0.1.0", manifest: "server/text/Cargo.toml", description: "Ropes", licence: Some("Apache-2.0"), dependencies: [Dependency { name: "ropey", requirement: "^1.6", purpose: Product }, Dependency { name: "proptest", requirement: "^1", purpose: Tests }], origin: Ours }
        Package { name: "ropey", version: "1.6.1", manifest: "", description: "", licence: None, dependencies: [], origin: Elsewhere }
    "#]]
    .assert_eq(&listing);
    assert_eq!(metadata.members().count(), 1);
    assert_eq!(metadata.version_of("pollux-text").unwrap(), "0.1.0");
    assert!(metadata.version_of("ropey").is_err());
}
