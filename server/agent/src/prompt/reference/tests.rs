use std::path::Path;

use expect_test::{Expect, expect};
use futures_util::future::BoxFuture;
use proptest::prelude::*;

use super::*;
use crate::prompt::reading::{Entry, EntryKind, FileHead, Found, ReadError, Visibility};
use crate::prompt::testing::{MemoryDisk, all_visible};

fn disk() -> MemoryDisk {
    let mut disk = MemoryDisk::new(&[
        ("/w/src/a.ts", "let a;\r\nlet b;"),
        ("/w/src/my file.txt", "spaces"),
        ("/w/src/deep/b.rs", "fn b() {}\n"),
        ("/w/src/GEMINI.md", "memory"),
        ("/w/src/.env.local", "KEY"),
        ("/w/src/node_modules/x/i.js", "x"),
        ("/w/src/old.zip", "zip"),
        ("/w/secret/key.pem", "KEY"),
        ("/w/.env", "KEY"),
        ("/w/empty/", ""),
        ("/w/given.txt", "as it lies on the disk"),
        ("/lib/util.rs", "util"),
        ("/etc/passwd", "root"),
    ])
    .link("/w/out", "/etc/passwd")
    .link("/w/dotenv", "/w/.env");
    disk.add("/w/p.png", &[0x89, b'P', b'N', b'G', 0]);
    disk.add("/w/data.dat", &[1, 2, 0, 3]);
    disk.add("/w/wide.txt", &[0xff, 0xfe, b'h', 0, 0xe4, 0]);
    disk
}

fn ignore(path: &Path, _: EntryKind) -> Visibility {
    match path.ends_with("secret") {
        true => Visibility::Ignored,
        false => Visibility::Visible,
    }
}

async fn expand(disk: &MemoryDisk, prompt: &str) -> PromptParts {
    let scope = ReferenceScope {
        reading: disk,
        roots: &[PathBuf::from("/w"), PathBuf::from("/lib")],
        ignore: &ignore,
        agents: &["scout".to_owned()],
        servers: None,
        given: &[PathBuf::from("/w/given.txt")],
    };
    expand_references(scope, prompt).await
}

fn shown(parts: &PromptParts) -> String {
    let mut shown = String::new();
    for part in &parts.parts {
        match part {
            Part::Text(text) => shown.push_str(text),
            Part::InlineData(data) => {
                shown.push_str(&format!("<{} {}>", data.mime_type, data.data))
            }
            other => panic!("{other:?}"),
        }
    }
    for note in &parts.notes {
        shown.push_str(&format!("\n! {}: {}", note.reference, note.problem));
    }
    shown
}

async fn check(prompt: &str, expected: Expect) {
    expected.assert_eq(&shown(&expand(&disk(), prompt).await));
}

/// A disk that nobody may ask.
struct Untouched;

impl Reading for Untouched {
    fn head<'a>(&'a self, path: &'a Path, _: usize) -> BoxFuture<'a, Result<FileHead, ReadError>> {
        panic!("{} was read", path.display())
    }

    fn list<'a>(
        &'a self,
        path: &'a Path,
        _: usize,
    ) -> BoxFuture<'a, Result<Vec<Entry>, ReadError>> {
        panic!("{} was listed", path.display())
    }

    fn look<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Found, ReadError>> {
        panic!("{} was looked at", path.display())
    }
}

#[tokio::test]
async fn a_prompt_that_names_nothing_asks_no_disk() {
    let scope = ReferenceScope {
        reading: &Untouched,
        roots: &[PathBuf::from("/w")],
        ignore: &|path, _| panic!("asked about {}", path.display()),
        agents: &[],
        servers: None,
        given: &[],
    };
    let expanded = expand_references(scope, "What is a \\@ good for? @").await;
    assert_eq!(shown(&expanded), "What is a @ good for? @");
}

#[tokio::test]
async fn files_stand_behind_the_prompt_in_the_twins_format() {
    check(
        "Compare @src/a.ts, @\"src/my file.txt\" and @src/my\\ file.txt.",
        expect![[r#"
            Compare @src/a.ts, @src/my file.txt and @src/my file.txt.
            --- Content from referenced files ---
            Content from @src/a.ts:
            let a;
            let b;
            Content from @src/my file.txt:
            spaces
            --- End of content ---"#]],
    )
    .await;
}

#[tokio::test]
async fn a_file_that_comes_with_the_prompt_is_not_read_as_well() {
    check(
        "Compare @given.txt with @src/a.ts",
        expect![[r#"
            Compare @given.txt with @src/a.ts
            --- Content from referenced files ---
            Content from @src/a.ts:
            let a;
            let b;
            --- End of content ---"#]],
    )
    .await;
}

#[tokio::test]
async fn a_folder_brings_its_files_without_what_nobody_reads() {
    check(
        "Explain @src/ and @empty",
        expect![[r#"
            Explain @src/** and @empty/**
            --- Content from referenced files ---
            Content from @src/a.ts:
            let a;
            let b;
            Content from @src/deep/b.rs:
            fn b() {}

            Content from @src/my file.txt:
            spaces
            [@empty/** has no files to show]

            --- End of content ---"#]],
    )
    .await;
}

#[tokio::test]
async fn a_prompt_without_files_is_sent_as_it_is() {
    check(
        "Mail me@x.com about \\@decorators @ noon",
        expect!["Mail me@x.com about @decorators @ noon"],
    )
    .await;
    check(
        "Fix @gone.rs",
        expect![[r#"
        Fix @gone.rs
        ! gone.rs: there is no such file in the workspace"#]],
    )
    .await;
}

#[tokio::test]
async fn what_may_not_be_read_is_said_to_both() {
    check(
        "@secret/key.pem @.env @dotenv @out @/etc/passwd @../etc/passwd",
        expect![[r#"
            @secret/key.pem @.env @dotenv @out @/etc/passwd @../etc/passwd
            --- Content from referenced files ---
            [@secret/key.pem is not attached: it is ignored]

            [@.env is not attached: files in `.env` are not open to tools]

            [@dotenv is not attached: files in `.env` are not open to tools]

            [@out is not attached: it is outside the workspace]

            [@/etc/passwd is not attached: it is outside the workspace]

            [@../etc/passwd is not attached: it is outside the workspace]

            --- End of content ---
            ! secret/key.pem: it is ignored
            ! .env: files in `.env` are not open to tools
            ! dotenv: files in `.env` are not open to tools
            ! out: it is outside the workspace
            ! /etc/passwd: it is outside the workspace
            ! ../etc/passwd: it is outside the workspace"#]],
    )
    .await;
}

#[tokio::test]
async fn images_are_attached_as_they_are_and_binaries_are_named() {
    check(
        "@p.png @data.dat @wide.txt",
        expect![[r#"
            @p.png @data.dat @wide.txt
            --- Content from referenced files ---
            Content from @p.png:
            <image/png iVBORwA=>
            Content from @data.dat:
            Cannot display content of binary file: data.dat
            Content from @wide.txt:
            hä
            --- End of content ---"#]],
    )
    .await;
}

#[tokio::test]
async fn every_root_is_asked_and_likely_endings_are_dropped() {
    check(
        "@util.rs `@src/a.ts` @src/a.ts:2:5 @/w/src/a.ts @../lib/util.rs",
        expect![[r#"
            @/lib/util.rs `@src/a.ts` @src/a.ts:2:5 @src/a.ts @/lib/util.rs
            --- Content from referenced files ---
            Content from @/lib/util.rs:
            util
            Content from @src/a.ts:
            let a;
            let b;
            --- End of content ---"#]],
    )
    .await;
}

#[tokio::test]
async fn an_agent_is_asked_for_by_name() {
    check(
        "Let @scout look",
        expect![[r#"
            Let @scout look
            <system_note>
            The person asks for these sub-agents: scout. Hand the work to them with `invoke_agent`.
            </system_note>"#]],
    )
    .await;
}

#[tokio::test]
async fn long_files_are_cut_and_say_so() {
    let many_lines = "x\n".repeat(5_000);
    let long_line = "ä".repeat(3_000);
    let long_file = format!("{}\n", "y".repeat(1_500)).repeat(1_000);
    let disk = MemoryDisk::new(&[
        ("/w/lines", &many_lines),
        ("/w/line", &long_line),
        ("/w/file", &long_file),
    ]);
    let parts = expand(&disk, "@lines @line @file").await;
    let text = shown(&parts);
    assert!(text.contains("[WARNING: This file was truncated: lines 1-2000 of 5000 are shown."));
    assert!(text.contains("[WARNING: This file was truncated: long lines are cut."));
    assert!(text.contains("ä... [truncated]\n"));
    assert!(text.contains("[WARNING: This file was truncated: lines 1-175 are shown."));
    assert_eq!(parts.notes.len(), 3);
}

#[tokio::test]
async fn too_much_is_refused_file_by_file() {
    let mut disk = MemoryDisk::default();
    let image = usize::try_from(MAX_INLINE_BYTES).unwrap();
    disk.add("/w/1.png", &vec![7; image + 1]);
    disk.add("/w/2.png", &vec![7; image]);
    disk.add("/w/3.png", &vec![7; image]);
    disk.add("/w/4.svg", &vec![b'x'; 1024 * 1024 + 1]);
    let parts = expand(&disk, "@1.png @2.png @3.png @4.svg").await;
    let notes: Vec<String> = parts
        .notes
        .iter()
        .map(|note| note.problem.to_string())
        .collect();
    assert_eq!(
        notes,
        [
            "it has 10485761 bytes, and 10485760 is the limit",
            "the files attached so far fill the limit for one prompt",
            "it has 1048577 bytes, and 1048576 is the limit",
        ]
    );
}

#[tokio::test]
async fn only_so_many_references_are_followed() {
    let names: Vec<String> = (0..=MAX_REFERENCES).map(|n| format!("@{n}")).collect();
    let files: Vec<String> = (0..=MAX_REFERENCES).map(|n| format!("/w/{n}")).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|path| (path.as_str(), "x")).collect();
    let parts = expand(&MemoryDisk::new(&files), &names.join(" ")).await;
    let text = shown(&parts);
    assert_eq!(text.matches("Content from @").count(), MAX_REFERENCES);
    assert!(
        text.ends_with("! 50: a prompt may refer to 50 files"),
        "{text}"
    );
}

#[tokio::test]
async fn a_large_folder_is_cut_and_says_so() {
    let files: Vec<String> = (0..150).map(|n| format!("/w/d/{n:03}")).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|path| (path.as_str(), "x")).collect();
    let parts = expand(&MemoryDisk::new(&files), "@d").await;
    let text = shown(&parts);
    assert_eq!(text.matches("Content from @").count(), MAX_FOLDER_FILES);
    assert!(text.contains("[@d/** has more files than the 100 shown here]"));
}

fn text_bytes(parts: &PromptParts) -> usize {
    let texts = parts.parts.iter().map(|part| match part {
        Part::Text(text) => text.len(),
        _ => 0,
    });
    texts.sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn references_keep_their_caps(
        sizes in prop::collection::vec((any::<u8>(), 0_usize..600_000), 1..12),
        prompt in "(@f[0-9]{1,2} |@d |[@ .\"]|\\PC){0,60}",
    ) {
        let mut disk = MemoryDisk::default();
        for (index, (byte, size)) in sizes.iter().enumerate() {
            let mut bytes = vec![*byte; *size];
            for place in (0..bytes.len()).step_by(97) {
                bytes[place] = b'\n';
            }
            disk.add(&format!("/w/f{index}"), &bytes);
            disk.add(&format!("/w/d/f{index}"), &bytes);
        }
        let scope = ReferenceScope {
            reading: &disk,
            roots: &[PathBuf::from("/w")],
            ignore: &all_visible,
            agents: &[],
            servers: None,
            given: &[],
        };
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let parts = runtime.block_on(expand_references(scope, &prompt));
        let room = prompt.len() * 4 + MAX_REFERENCE_TOTAL_BYTES + MAX_REFERENCES * 1_000;
        prop_assert!(text_bytes(&parts) <= room, "{} bytes", text_bytes(&parts));
    }
}
