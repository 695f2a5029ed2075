use expect_test::expect;
use proptest::prelude::*;

use super::*;
use crate::prompt::testing::MemoryDisk;

fn settings(roots: &[&str]) -> MemorySettings {
    MemorySettings {
        names: MemoryNames::new(&[]),
        boundary_markers: vec![MemorySettings::DEFAULT_BOUNDARY.to_owned()],
        import_format: ImportFormat::Tree,
        global_folder: PathBuf::from("/home/u/.gemini"),
        user_project_folder: PathBuf::from("/home/u/.gemini/tmp/p/memory"),
        extension_files: Vec::new(),
        roots: roots.iter().map(PathBuf::from).collect(),
        trust: Trust::Trusted,
    }
}

fn paths(memory: &Memory) -> Vec<String> {
    let files = memory.files().iter();
    files.map(|file| file.path.display().to_string()).collect()
}

#[tokio::test]
async fn the_walk_goes_up_to_the_boundary_and_no_further() {
    let disk = MemoryDisk::new(&[
        ("/r/GEMINI.md", "outside"),
        ("/r/p/.git/HEAD", ""),
        ("/r/p/GEMINI.md", " project \n"),
        ("/r/p/q/GEMINI.md", "folder"),
        ("/r/p/q/deep/GEMINI.md", "below"),
    ]);
    let memory = Memory::load(&disk, settings(&["/r/p/q"])).await;
    expect![[r#"
        --- Context from: /r/p/GEMINI.md ---
        project
        --- End of Context from: /r/p/GEMINI.md ---

        --- Context from: /r/p/q/GEMINI.md ---
        folder
        --- End of Context from: /r/p/q/GEMINI.md ---"#]]
    .assert_eq(&memory.texts().project);
    assert_eq!(memory.texts().global, "");
}

#[tokio::test]
async fn without_a_boundary_only_the_folder_itself_is_read() {
    let disk = MemoryDisk::new(&[("/r/GEMINI.md", "outside"), ("/r/p/GEMINI.md", "x")]);
    let memory = Memory::load(&disk, settings(&["/r/p"])).await;
    assert_eq!(paths(&memory), ["/r/p/GEMINI.md"]);
    let disk = MemoryDisk::new(&[
        ("/r/.git/HEAD", ""),
        ("/r/GEMINI.md", "o"),
        ("/r/p/GEMINI.md", "x"),
    ]);
    let no_markers = MemorySettings {
        boundary_markers: Vec::new(),
        ..settings(&["/r/p"])
    };
    let memory = Memory::load(&disk, no_markers).await;
    assert_eq!(paths(&memory), ["/r/p/GEMINI.md"]);
}

#[tokio::test]
async fn outer_folders_come_first_and_shared_names_before_own_before_configured() {
    let disk = MemoryDisk::new(&[
        ("/p/.git/HEAD", ""),
        ("/p/RULES.md", "4"),
        ("/p/GEMINI.md", "3"),
        ("/p/AGENTS.md", "2"),
        ("/p/A/AGENTS.md", "5"),
        ("/p/EMPTY.md", " \n"),
    ]);
    let names = [
        "RULES.md",
        "EMPTY.md",
        "../x",
        "/etc/passwd",
        "RULES.md",
        "",
    ];
    let settings = MemorySettings {
        names: MemoryNames::new(&names.map(str::to_owned)),
        ..settings(&["/p/A", "/p"])
    };
    let memory = Memory::load(&disk, settings).await;
    assert_eq!(
        paths(&memory),
        [
            "/p/AGENTS.md",
            "/p/GEMINI.md",
            "/p/RULES.md",
            "/p/A/AGENTS.md"
        ]
    );
}

#[tokio::test]
async fn one_file_under_two_names_is_read_once() {
    let disk = MemoryDisk::new(&[("/p/AGENTS.md", "x")]).link("/p/GEMINI.md", "/p/AGENTS.md");
    let memory = Memory::load(&disk, settings(&["/p"])).await;
    assert_eq!(paths(&memory), ["/p/AGENTS.md"]);
}

#[tokio::test]
async fn a_file_that_another_imports_is_not_shown_twice() {
    let disk = MemoryDisk::new(&[("/p/AGENTS.md", "rules"), ("/p/GEMINI.md", "@AGENTS.md")]);
    let memory = Memory::load(&disk, settings(&["/p"])).await;
    assert_eq!(memory.texts().project.matches("rules").count(), 1);
    let disk = MemoryDisk::new(&[
        ("/p/AGENTS.md", "one @GEMINI.md"),
        ("/p/GEMINI.md", "two @AGENTS.md"),
    ]);
    let memory = Memory::load(&disk, settings(&["/p"])).await;
    let project = &memory.texts().project;
    assert!(
        project.contains("one") && project.contains("two"),
        "{project}"
    );
    assert_eq!(paths(&memory), ["/p/GEMINI.md"]);
}

#[tokio::test]
async fn every_tier_goes_to_its_place() {
    let disk = MemoryDisk::new(&[
        ("/home/u/.gemini/GEMINI.md", "global"),
        ("/home/u/.gemini/AGENTS.md", "shared"),
        ("/home/u/.gemini/tmp/p/memory/MEMORY.md", "own"),
        ("/home/u/.gemini/tmp/p/memory/GEMINI.md", "legacy"),
        ("/home/u/.gemini/extensions/e/GEMINI.md", "extension"),
        ("/p/GEMINI.md", "project"),
    ]);
    let settings = MemorySettings {
        extension_files: vec![PathBuf::from("/home/u/.gemini/extensions/e/GEMINI.md")],
        ..settings(&["/p"])
    };
    let untrusted = MemorySettings {
        trust: Trust::Untrusted,
        ..settings.clone()
    };
    let texts = Memory::load(&disk, settings).await.texts().clone();
    assert!(texts.global.contains("\nshared\n") && texts.global.contains("\nglobal\n"));
    assert!(texts.user_project.contains("\nown\n") && !texts.user_project.contains("legacy"));
    assert!(texts.extension.contains("\nextension\n"));
    assert!(texts.project.contains("\nproject\n"));
    let mut memory = Memory::load(&disk, untrusted).await;
    assert_eq!(memory.texts().project, "");
    assert_eq!(memory.texts().global, texts.global);
    assert_eq!(memory.discover(&disk, Path::new("/p/x/y.ts")).await, None);
}

#[tokio::test]
async fn the_persons_own_folder_is_never_project_memory() {
    let disk = MemoryDisk::new(&[
        ("/home/u/.git/HEAD", ""),
        ("/home/u/GEMINI.md", "home"),
        ("/home/u/.gemini/GEMINI.md", "global"),
    ]);
    let memory = Memory::load(&disk, settings(&["/home/u/.gemini"])).await;
    assert_eq!(
        paths(&memory),
        ["/home/u/.gemini/GEMINI.md", "/home/u/GEMINI.md"]
    );
    assert_eq!(memory.files()[0].tier, Tier::Global);
}

#[tokio::test]
async fn touching_a_file_shows_the_memory_around_it_once() {
    let disk = MemoryDisk::new(&[
        ("/r/p/.git/HEAD", ""),
        ("/r/p/GEMINI.md", "top"),
        ("/r/p/x/GEMINI.md", "near"),
        ("/r/p/x/y.ts", ""),
        ("/r/other/GEMINI.md", "elsewhere"),
    ]);
    let mut memory = Memory::load(&disk, settings(&["/r/p"])).await;
    let file = Path::new("/r/p/x/y.ts");
    let first = memory.discover(&disk, file).await.unwrap();
    expect![[r#"


        --- Newly Discovered Project Context ---
        --- Context from: /r/p/x/GEMINI.md ---
        near
        --- End of Context from: /r/p/x/GEMINI.md ---
        --- End Project Context ---"#]]
    .assert_eq(&first);
    assert_eq!(memory.discover(&disk, file).await, None);
    assert_eq!(
        memory.discover(&disk, Path::new("/r/other/z.ts")).await,
        None
    );
    let around = Path::new("/r/p/../other/z.ts");
    assert_eq!(memory.discover(&disk, around).await, None);
    memory.forget_discovered();
    assert_eq!(
        memory.discover(&disk, Path::new("/r/p/x")).await,
        Some(first)
    );
}

#[tokio::test]
async fn what_is_too_long_is_cut_and_says_so() {
    let long = "x".repeat(MAX_MEMORY_FILE_BYTES + 1);
    let mut disk = MemoryDisk::new(&[("/.git/HEAD", "")]);
    let deep: String = (0..9).map(|n| format!("/{n}")).collect();
    for folder in Path::new(&deep).ancestors() {
        disk.add(
            &folder.join("GEMINI.md").display().to_string(),
            long.as_bytes(),
        );
    }
    let memory = Memory::load(&disk, settings(&[&deep])).await;
    let project = &memory.texts().project;
    assert!(project.len() <= MAX_MEMORY_BYTES);
    assert!(project.contains("[Cut: only the first 65536 bytes"));
    assert!(project.contains("[Cut: the limit for all context files together is reached.]"));
    assert!(memory.files()[0].bytes <= MAX_MEMORY_FILE_BYTES);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn memory_keeps_its_caps(
        texts in prop::collection::vec(("(@\\./[ab]\\.md |\\PC|\n){1,30}", 1_usize..4_000), 6),
    ) {
        let texts: Vec<String> = texts.iter().map(|(text, times)| text.repeat(*times)).collect();
        let names = ["/p/GEMINI.md", "/p/AGENTS.md", "/p/a.md", "/p/b.md", "/p/x/GEMINI.md", "/home/u/.gemini/GEMINI.md"];
        let files: Vec<(&str, &str)> = names.into_iter().zip(texts.iter().map(String::as_str)).collect();
        let disk = MemoryDisk::new(&files);
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let (memory, found) = runtime.block_on(async {
            let mut memory = Memory::load(&disk, settings(&["/p"])).await;
            let found = memory.discover(&disk, Path::new("/p/x/y")).await;
            (memory, found.unwrap_or_default())
        });
        let MemoryTexts { global, user_project, extension, project } = memory.texts();
        prop_assert!(global.len() + user_project.len() + extension.len() + project.len() <= MAX_MEMORY_BYTES);
        prop_assert!(found.len() <= MAX_DISCOVERED_BYTES + 100);
        prop_assert!(memory.files().iter().all(|file| file.bytes <= MAX_MEMORY_FILE_BYTES));
    }
}
