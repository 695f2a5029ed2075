use expect_test::expect;

use super::*;

const DIGEST: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

fn manifest() -> Manifest {
    Manifest {
        name: "Pollux".to_owned(),
        description: "An agent.".to_owned(),
        repository: "https://github.com/owner/pollux".to_owned(),
    }
}

/// A folder as `dist` leaves it, with archives from two more machines.
fn dist() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in [
        "pollux-1.2.3-x86_64-unknown-linux-gnu.tar.gz",
        "pollux-1.2.3-aarch64-apple-darwin.tar.gz",
        "pollux-1.2.3-x86_64-pc-windows-msvc.tar.gz",
        "pollux-1.2.2-x86_64-unknown-linux-gnu.tar.gz",
    ] {
        fs::write(folder.path().join(name), "").unwrap();
        let checksum = folder.path().join(format!("{name}.sha256"));
        fs::write(checksum, format!("{DIGEST}  {name}\n")).unwrap();
    }
    fs::write(folder.path().join("pollux-1.2.3-linux-x64.vsix"), "").unwrap();
    folder
}

fn made() -> Value {
    let archives = archives(dist().path(), "1.2.3").unwrap();
    entry(&manifest(), "1.2.3", &archives).unwrap()
}

#[test]
fn an_entry_has_every_archive_of_its_version() {
    expect![[r#"
        {
          "id": "pollux",
          "name": "Pollux",
          "version": "1.2.3",
          "description": "An agent.",
          "repository": "https://github.com/owner/pollux",
          "license": "Apache-2.0",
          "distribution": {
            "binary": {
              "darwin-aarch64": {
                "archive": "https://github.com/owner/pollux/releases/download/v1.2.3/pollux-1.2.3-aarch64-apple-darwin.tar.gz",
                "sha256": "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
                "cmd": "./pollux",
                "args": [
                  "acp"
                ]
              },
              "windows-x86_64": {
                "archive": "https://github.com/owner/pollux/releases/download/v1.2.3/pollux-1.2.3-x86_64-pc-windows-msvc.tar.gz",
                "sha256": "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
                "cmd": "./pollux.exe",
                "args": [
                  "acp"
                ]
              },
              "linux-x86_64": {
                "archive": "https://github.com/owner/pollux/releases/download/v1.2.3/pollux-1.2.3-x86_64-unknown-linux-gnu.tar.gz",
                "sha256": "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
                "cmd": "./pollux",
                "args": [
                  "acp"
                ]
              }
            }
          }
        }"#]]
    .assert_eq(&format!("{:#}", made()));
}

#[test]
fn the_registry_takes_what_is_made() {
    assert_eq!(rules::of_entry(&made()), Vec::<String>::new());
    let icon = fs::read_to_string(shell::root().join(ICON)).unwrap();
    assert_eq!(rules::of_icon(&icon), Vec::<String>::new());
}

#[test]
fn our_own_manifest_makes_an_entry_that_the_registry_takes() {
    let archives = archives(dist().path(), "1.2.3").unwrap();
    let entry = entry(&Manifest::read().unwrap(), "1.2.3", &archives).unwrap();
    assert_eq!(rules::of_entry(&entry), Vec::<String>::new());
}

#[test]
fn an_archive_without_a_checksum_is_an_error() {
    let dist = dist();
    let name = "pollux-1.2.3-aarch64-unknown-linux-gnu.tar.gz";
    fs::write(dist.path().join(name), "").unwrap();
    let error = archives(dist.path(), "1.2.3").err().unwrap();
    assert_eq!(error.to_string(), format!("{name} has no checksum"));
}

#[test]
fn a_platform_that_the_registry_does_not_know_is_an_error() {
    let archive = Archive {
        name: "pollux-1.2.3-riscv64gc-unknown-linux-gnu.tar.gz".to_owned(),
        sha256: DIGEST.to_owned(),
    };
    let error = entry(&manifest(), "1.2.3", &[archive]).err().unwrap();
    assert_eq!(
        error.to_string(),
        "the registry knows no `riscv64gc-unknown-linux-gnu`"
    );
}

/// Every rule can fail.
#[test]
fn what_the_registry_refuses_is_found() {
    let broken = |pointer: &str, value: Value| {
        let mut entry = made();
        *entry.pointer_mut(pointer).unwrap() = value;
        rules::of_entry(&entry).join("\n")
    };
    let linux = |key: &str| format!("/distribution/binary/linux-x86_64/{key}");
    let found = [
        broken("/id", json!("Pollux")),
        broken("/version", json!("1.2")),
        broken("/name", json!("")),
        broken("/description", json!("")),
        broken("/distribution/binary", json!({})),
        broken("/distribution/binary", json!({"plan9-mips": {}})),
        broken(&linux("archive"), json!("https://a.example/latest/p.deb")),
        broken(&linux("cmd"), json!("./../pollux")),
        broken(&linux("cmd"), json!("pollux")),
        broken(&linux("sha256"), json!("abc")),
    ];
    expect![[r#"
        `Pollux` is no id
        --
        `1.2` is no version
        darwin-aarch64: an archive of another version
        windows-x86_64: an archive of another version
        linux-x86_64: an archive of another version
        --
        there is no name
        --
        there is no description
        --
        there is nothing to install
        --
        plan9-mips: no platform
        plan9-mips: no address
        plan9-mips: an archive that cannot be unpacked
        plan9-mips: an archive of another version
        plan9-mips: a command outside the archive
        plan9-mips: no checksum
        --
        linux-x86_64: an archive that cannot be unpacked
        linux-x86_64: an address that will move
        linux-x86_64: an archive of another version
        --
        linux-x86_64: a command outside the archive
        --
        linux-x86_64: a command outside the archive
        --
        linux-x86_64: no checksum"#]]
    .assert_eq(&found.join("\n--\n"));
}

#[test]
fn an_icon_with_colours_or_another_size_is_refused() {
    let svg = "<svg width=\"24\" height=\"24\" viewBox=\"0 0 24 24\"><!-- a --><path fill=\"red\"/></svg>";
    expect![[r#"
        the icon is not 16 by 16
        the icon has comments or styles
        the icon has a colour of its own, `red`
        the icon does not follow the theme"#]]
    .assert_eq(&rules::of_icon(svg).join("\n"));
}
