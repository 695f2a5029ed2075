use zed_extension_api::GithubReleaseAsset;

use super::*;

const EVERY_OS: [Os; 3] = [Os::Linux, Os::Mac, Os::Windows];

fn linux() -> Release {
    Release::of("1.2.3", (Os::Linux, Architecture::X8664))
        .ok()
        .unwrap()
}

fn published(names: &[&str]) -> GithubRelease {
    let asset = |name: &&str| GithubReleaseAsset {
        name: (*name).to_owned(),
        download_url: format!("https://releases.example/{name}"),
    };
    GithubRelease {
        version: "v1.2.3".to_owned(),
        assets: names.iter().map(asset).collect(),
    }
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn every_platform_has_an_archive_of_its_own() {
    let mut archives = Vec::new();
    for os in EVERY_OS {
        for architecture in [Architecture::X8664, Architecture::Aarch64] {
            archives.push(
                Release::of("1.2.3", (os, architecture))
                    .ok()
                    .unwrap()
                    .archive(),
            );
        }
    }
    expect_test::expect![[r#"
        [
            "pollux-1.2.3-x86_64-unknown-linux-gnu.tar.gz",
            "pollux-1.2.3-aarch64-unknown-linux-gnu.tar.gz",
            "pollux-1.2.3-x86_64-apple-darwin.tar.gz",
            "pollux-1.2.3-aarch64-apple-darwin.tar.gz",
            "pollux-1.2.3-x86_64-pc-windows-msvc.tar.gz",
            "pollux-1.2.3-aarch64-pc-windows-msvc.tar.gz",
        ]
    "#]]
    .assert_debug_eq(&archives);
}

#[test]
fn there_is_none_for_32_bits() {
    for os in EVERY_OS {
        let release = Release::of("1.2.3", (os, Architecture::X86));
        assert_eq!(release.err(), Some(Reason::Platform("32-bit processors")));
    }
}

#[test]
fn the_program_has_the_name_of_its_platform() {
    let windows = Release::of("1.2.3", (Os::Windows, Architecture::X8664))
        .ok()
        .unwrap();
    assert_eq!(
        windows.program_in(&windows.folder()),
        "pollux-1.2.3/pollux.exe"
    );
    assert_eq!(linux().program_in(&linux().folder()), "pollux-1.2.3/pollux");
}

#[test]
fn both_files_of_a_release_are_found_by_their_names() {
    let found = linux().assets(&published(&[
        "pollux-1.2.3-x86_64-apple-darwin.tar.gz",
        "pollux-1.2.3-x86_64-unknown-linux-gnu.tar.gz",
        "pollux-1.2.3-x86_64-unknown-linux-gnu.tar.gz.sha256",
        "pollux-1.2.3-x86_64-unknown-linux-gnu.sha256",
    ]));
    let expected = Assets {
        archive: "https://releases.example/pollux-1.2.3-x86_64-unknown-linux-gnu.tar.gz".to_owned(),
        checksum: "https://releases.example/pollux-1.2.3-x86_64-unknown-linux-gnu.sha256"
            .to_owned(),
    };
    assert_eq!(found, Ok(expected));
}

#[test]
fn nothing_is_downloaded_that_cannot_be_checked() {
    let archive = "pollux-1.2.3-x86_64-unknown-linux-gnu.tar.gz";
    let found = linux().assets(&published(&[archive]));
    let expected = Reason::NoAsset {
        tag: "v1.2.3".to_owned(),
        asset: "pollux-1.2.3-x86_64-unknown-linux-gnu.sha256".to_owned(),
    };
    assert_eq!(found, Err(expected));
}

#[test]
fn versions_are_ordered_by_number() {
    let names = owned(&[
        "pollux-1.9.0",
        "notes",
        "pollux-1.10.0",
        "pollux-1.2.0-rc.1",
        "pollux-old",
        "unfinished-2.0.0",
    ]);
    assert_eq!(
        versions(&names),
        ["pollux-1.10.0", "pollux-1.9.0", "pollux-1.2.0-rc.1"]
    );
}

#[test]
fn only_our_own_leftovers_go() {
    let names = owned(&[
        "pollux-1.2.3",
        "pollux-1.2.2",
        "unfinished-1.2.3",
        "unfinished-work",
        "pollux-notes",
        "settings.json",
    ]);
    assert_eq!(
        leftovers(&names, "pollux-1.2.3"),
        ["pollux-1.2.2", "unfinished-1.2.3"]
    );
}

#[test]
fn a_checksum_is_read_as_it_is_written() {
    let digest_of = |first: &str| digest(&format!("{first}  pollux\n"));
    let hex = "0123456789abcdef".repeat(4);
    assert_eq!(digest_of(&hex), Some(hex.clone()));
    assert_eq!(digest_of(&hex.to_uppercase()), Some(hex.clone()));
    assert_eq!(digest(&hex), Some(hex.clone()));
    assert_eq!(digest_of(&hex.replace('0', "g")), None);
    assert_eq!(digest_of("abc"), None);
    assert_eq!(digest("<html>not found</html>"), None);
    assert_eq!(digest(""), None);
}
