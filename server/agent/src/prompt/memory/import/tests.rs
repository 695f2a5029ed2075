use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::*;
use crate::prompt::testing::MemoryDisk;

async fn import(disk: &MemoryDisk, path: &str, format: ImportFormat) -> String {
    let path = Path::new(path);
    let head = disk.head(path, 100_000).await.unwrap();
    let identity = disk.look(path).await.unwrap().identity;
    let text = String::from_utf8(head.bytes).unwrap();
    let mut importer = Importer::new(disk, PathBuf::from("/p"), 100_000);
    importer.run(&text, path, &identity, format).await
}

async fn check(main: &str, expected: Expect) {
    let disk = MemoryDisk::new(&[
        ("/p/GEMINI.md", main),
        ("/p/a.md", "A"),
        ("/p/sub/b.md", "B @./c.md"),
        ("/p/sub/c.md", "C @../GEMINI.md"),
        ("/etc/passwd", "secret"),
        ("/p/.env", "KEY=secret"),
    ])
    .link("/p/out.md", "/etc/passwd");
    expected.assert_eq(&import(&disk, "/p/GEMINI.md", ImportFormat::Tree).await);
}

#[tokio::test]
async fn an_import_takes_the_place_of_its_mark() {
    check(
        "See @./a.md\nand @a.md",
        expect![[r#"
            See <!-- Imported from: ./a.md -->
            A
            <!-- End of import from: ./a.md -->
            and <!-- Imported from: a.md -->
            A
            <!-- End of import from: a.md -->"#]],
    )
    .await;
}

#[tokio::test]
async fn a_cycle_is_named_and_ends() {
    check(
        "@sub/b.md",
        expect![[r#"
            <!-- Imported from: sub/b.md -->
            B <!-- Imported from: ./c.md -->
            C <!-- File already processed: ../GEMINI.md -->
            <!-- End of import from: ./c.md -->
            <!-- End of import from: sub/b.md -->"#]],
    )
    .await;
}

#[tokio::test]
async fn nothing_outside_the_project_is_read() {
    check(
        "@/etc/passwd\n@../x\n@https://x.y/z\n@./out.md\n@/../../p\n@./.env",
        expect![[r#"
            <!-- Import failed: /etc/passwd - Path traversal attempt -->
            <!-- Import failed: ../x - Path traversal attempt -->
            <!-- Import failed: https://x.y/z - Path traversal attempt -->
            <!-- Import failed: ./out.md - Path traversal attempt -->
            <!-- Import failed: /../../p - Path traversal attempt -->
            <!-- Import failed: ./.env - files in `.env` are not open to tools -->"#]],
    )
    .await;
}

#[tokio::test]
async fn what_is_missing_says_so_even_if_it_was_a_name_in_prose() {
    check(
        "Ask @someone, or me@home. @1 @ @./sub",
        expect![[r#"
            Ask <!-- Import failed: someone, - there is no such file --> or me@home. @1 @ <!-- Import failed: ./sub - it is not a file -->"#]],
    )
    .await;
}

#[tokio::test]
async fn code_is_left_alone() {
    check(
        "`@./a.md` ``x ` @./a.md`` ` @missing.md\n```\n@./a.md\n```\n~ @./a.md\n````\n``` @./a.md",
        expect![[r#"
            `@./a.md` ``x ` @./a.md`` ` <!-- Import failed: missing.md - there is no such file -->
            ```
            @./a.md
            ```
            ~ <!-- Imported from: ./a.md -->
            A
            <!-- End of import from: ./a.md -->
            ````
            ``` @./a.md"#]],
    )
    .await;
}

#[tokio::test]
async fn five_levels_are_followed_and_no_more() {
    let names: Vec<String> = (0..8).map(|n| format!("/p/{n}.md")).collect();
    let texts: Vec<String> = (1..9).map(|n| format!("{n} @./{n}.md")).collect();
    let files: Vec<(&str, &str)> = names
        .iter()
        .zip(&texts)
        .map(|(name, text)| (name.as_str(), text.as_str()))
        .collect();
    let text = import(&MemoryDisk::new(&files), "/p/0.md", ImportFormat::Tree).await;
    assert!(text.contains("Imported from: ./5.md"));
    assert!(text.contains("\n6 @./6.md\n"), "{text}");
}

#[tokio::test]
async fn flat_lists_each_file_once() {
    let disk = MemoryDisk::new(&[
        ("/p/GEMINI.md", "G @a.md @b.md @/etc/x"),
        ("/p/a.md", " A @b.md "),
        ("/p/b.md", "B @GEMINI.md"),
    ]);
    expect![[r#"
        --- File: /p/GEMINI.md ---
        G @a.md @b.md @/etc/x
        --- End of File: /p/GEMINI.md ---

        --- File: /p/a.md ---
        A @b.md
        --- End of File: /p/a.md ---

        --- File: /p/b.md ---
        B @GEMINI.md
        --- End of File: /p/b.md ---"#]]
    .assert_eq(&import(&disk, "/p/GEMINI.md", ImportFormat::Flat).await);
}

#[tokio::test]
async fn a_bomb_of_imports_is_bounded() {
    let many = "@b.md ".repeat(1_000);
    let disk = MemoryDisk::new(&[
        ("/p/a.md", &many),
        ("/p/b.md", &many.replace('b', "c")),
        ("/p/c.md", ""),
    ]);
    let text = import(&disk, "/p/a.md", ImportFormat::Tree).await;
    assert!(text.matches("Imported from").count() <= MAX_IMPORTS);
    assert!(text.contains("- too many imports -->"));
}

proptest! {
    #[test]
    fn pieces_put_together_are_the_text(text in "([@`./a \n]|\\PC){0,60}") {
        let mut again = String::new();
        for piece in pieces(&text) {
            match piece {
                Piece::Text(text) => again.push_str(text),
                Piece::Import(path) => {
                    again.push('@');
                    again.push_str(path);
                }
            }
        }
        prop_assert_eq!(again, text);
    }

    #[test]
    fn any_text_can_be_imported(
        one in "([@`./ab \n]|\\PC|@b\\.md ){0,40}",
        two in "([@`./ab \n]|\\PC|@a\\.md ){0,40}",
        flat in any::<bool>(),
    ) {
        let disk = MemoryDisk::new(&[("/p/a.md", &one), ("/p/b.md", &two)]);
        let format = if flat { ImportFormat::Flat } else { ImportFormat::Tree };
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let text = runtime.block_on(import(&disk, "/p/a.md", format));
        prop_assert!(text.len() < 100_000);
    }
}
