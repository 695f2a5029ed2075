use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::PathBuf;

use tempfile::TempDir;

use super::*;

fn folder() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(folder.path()).unwrap();
    fs::write(root.join("a.txt"), "hello").unwrap();
    fs::create_dir(root.join("sub")).unwrap();
    symlink("a.txt", root.join("link")).unwrap();
    fs::hard_link(root.join("a.txt"), root.join("hard")).unwrap();
    (folder, root)
}

#[tokio::test]
async fn a_head_knows_how_long_the_file_is() {
    let (_folder, root) = folder();
    let path = root.join("a.txt");
    for (limit, text, total) in [
        (3, "hel", 5),
        (5, "hello", 5),
        (usize::MAX, "hello", 5),
        (0, "", 5),
    ] {
        let head = DiskReading.head(&path, limit).await.unwrap();
        assert_eq!(
            (head.bytes.as_slice(), head.total),
            (text.as_bytes(), total),
            "{limit}"
        );
    }
}

#[tokio::test]
async fn folders_pipes_and_absent_files_are_told_apart() {
    let (_folder, root) = folder();
    let _socket = UnixListener::bind(root.join("socket")).unwrap();
    let head = async |name: &str| DiskReading.head(&root.join(name), 10).await;
    assert!(matches!(head("sub").await, Err(ReadError::NotAFile)));
    assert!(matches!(head("socket").await, Err(ReadError::NotAFile)));
    assert!(matches!(head("gone").await, Err(ReadError::NotFound)));
    assert!(matches!(
        head("a.txt/below").await,
        Err(ReadError::NotFound)
    ));
    assert!(matches!(head("nul\0").await, Err(ReadError::NotFound)));
    assert!(matches!(
        head(&"x".repeat(300)).await,
        Err(ReadError::NotFound)
    ));
    let found = DiskReading.look(&root.join("socket")).await.unwrap();
    assert_eq!(found.kind, FileKind::Other);
}

#[tokio::test]
async fn a_list_names_links_as_links_and_keeps_its_limit() {
    let (_folder, root) = folder();
    let mut entries = DiskReading.list(&root, 100).await.unwrap();
    entries.sort();
    let entries: Vec<(&str, EntryKind)> = entries
        .iter()
        .map(|entry| (entry.name.as_str(), entry.kind))
        .collect();
    assert_eq!(
        entries,
        [
            ("a.txt", EntryKind::File),
            ("hard", EntryKind::File),
            ("link", EntryKind::Link),
            ("sub", EntryKind::Folder),
        ]
    );
    assert_eq!(DiskReading.list(&root, 2).await.unwrap().len(), 2);
    assert!(DiskReading.list(&root.join("gone"), 2).await.is_err());
}

#[tokio::test]
async fn one_file_has_one_identity_whatever_it_is_called() {
    let (_folder, root) = folder();
    let look = async |name: &str| DiskReading.look(&root.join(name)).await.unwrap();
    let file = look("a.txt").await;
    assert_eq!(file.identity, look("link").await.identity);
    assert_eq!(file.identity, look("hard").await.identity);
    assert_ne!(file.identity, look("sub").await.identity);
    assert_eq!(look("link").await.real_path, root.join("a.txt"));
    assert_eq!((file.kind, file.bytes), (FileKind::File, 5));
}
