use std::fs::File;
use std::os::unix::fs::{PermissionsExt, symlink};

use tempfile::TempDir;

use pollux_agent::Standing;
use pollux_agent::api::{CallId, TurnId};

use super::*;

struct Disk {
    folder: TempDir,
    files: DiskFiles,
}

impl Disk {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        fs::create_dir(root.join("w")).unwrap();
        let files = DiskFiles::new(root.join("w"));
        Self { folder, files }
    }

    /// A path below the workspace; `../` gets out of it.
    fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join("w").join(path)
    }

    async fn read(&self, path: &str) -> Result<String, FileError> {
        let path = WorkspacePath::new(&self.files.root, path).unwrap();
        self.files.read(&path).await
    }

    async fn write(&self, path: &str, base: &str, text: &str) -> Result<(), FileError> {
        let path = WorkspacePath::new(&self.files.root, path).unwrap();
        self.files.write(&path, base, text, &origin()).await?;
        Ok(())
    }

    async fn create(&self, path: &str, text: &str) -> Result<(), FileError> {
        let path = WorkspacePath::new(&self.files.root, path).unwrap();
        self.files.create(&path, text, &origin()).await?;
        Ok(())
    }

    async fn read_bytes(&self, path: &str, limit: u64) -> Result<Vec<u8>, FileError> {
        let path = WorkspacePath::new(&self.files.root, path).unwrap();
        self.files.read_bytes(&path, limit).await
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.files.root).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

#[tokio::test]
async fn text_is_exact_in_both_directions() {
    let disk = Disk::new();
    let before = "a\r\nb\rc\nä";
    fs::write(disk.at("a"), before).unwrap();
    assert_eq!(disk.read("a").await.unwrap(), before);
    let after = "A\r\nb\rc\nä";
    disk.write("a", before, after).await.unwrap();
    assert_eq!(fs::read(disk.at("a")).unwrap(), after.as_bytes());
    assert_eq!(disk.names(), ["a"]);
}

#[tokio::test]
async fn a_byte_order_mark_is_the_files_and_stays() {
    let disk = Disk::new();
    fs::write(disk.at("a"), "\u{feff}one").unwrap();
    assert_eq!(disk.read("a").await.unwrap(), "one");
    disk.write("a", "one", "two").await.unwrap();
    assert_eq!(fs::read_to_string(disk.at("a")).unwrap(), "\u{feff}two");
    disk.write("a", "\u{feff}two", "\u{feff}three")
        .await
        .unwrap();
    assert_eq!(fs::read_to_string(disk.at("a")).unwrap(), "\u{feff}three");
}

#[tokio::test]
async fn a_file_keeps_its_charset() {
    let disk = Disk::new();
    fs::write(disk.at("a"), b"\xff\xfea\0\r\0\n\0").unwrap();
    assert_eq!(disk.read("a").await.unwrap(), "a\r\n");
    disk.write("a", "a\r\n", "\u{4e2d}\r\n").await.unwrap();
    let bytes = fs::read(disk.at("a")).unwrap();
    assert_eq!(bytes, b"\xff\xfe\x2d\x4e\r\0\n\0");
}

#[tokio::test]
async fn what_the_charset_cannot_hold_is_refused_and_nothing_is_written() {
    let disk = Disk::new();
    let bytes = b"# Gr\xf6\xdfe \xe4ndern, sch\xf6n\nsize = 1\n";
    fs::write(disk.at("a"), bytes).unwrap();
    let text = disk.read("a").await.unwrap();
    assert_eq!(text, "# Größe ändern, schön\nsize = 1\n");
    let error = disk.write("a", &text, &text.replace('1', "日")).await;
    assert_eq!(
        error.unwrap_err().to_string(),
        "line 2 has the character `日` (U+65E5), which the file's charset windows-1252 cannot hold; write it with \
         other characters"
    );
    assert_eq!(fs::read(disk.at("a")).unwrap(), bytes);
    disk.write("a", &text, &text.replace('1', "é"))
        .await
        .unwrap();
    let written = fs::read(disk.at("a")).unwrap();
    assert_eq!(written, b"# Gr\xf6\xdfe \xe4ndern, sch\xf6n\nsize = \xe9\n");
}

#[tokio::test]
async fn a_new_file_is_made_with_its_folders_and_an_ordinary_mode() {
    let disk = Disk::new();
    disk.create("new/deep/file.txt", "text").await.unwrap();
    let path = disk.at("new/deep/file.txt");
    assert_eq!(fs::read_to_string(&path).unwrap(), "text");
    let beside = disk.at("new/deep/beside");
    File::create(&beside).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode(&path), mode(&beside));
    let entries = fs::read_dir(disk.at("new/deep")).unwrap();
    assert_eq!(entries.count(), 2);
}

#[tokio::test]
async fn a_new_file_takes_nobodys_place() {
    let disk = Disk::new();
    fs::write(disk.at("file"), "old").unwrap();
    fs::create_dir(disk.at("folder")).unwrap();
    symlink("nowhere", disk.at("dangling")).unwrap();
    for path in ["file", "dangling"] {
        let created = disk.create(path, "new").await;
        assert!(matches!(created, Err(FileError::Exists)), "{created:?}");
    }
    let created = disk.create("folder", "new").await;
    assert!(matches!(created, Err(FileError::IsFolder)), "{created:?}");
    for path in ["file/below", "dangling/below"] {
        let created = disk.create(path, "new").await;
        assert!(
            matches!(created, Err(FileError::Unwritable { .. })),
            "{created:?}"
        );
    }
    assert_eq!(fs::read_to_string(disk.at("file")).unwrap(), "old");
    assert_eq!(disk.names(), ["dangling", "file", "folder"]);
    // The file that comes between the look and the write.
    let error = create_atomically(&disk.at("file"), b"new").unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
    assert_eq!(fs::read_to_string(disk.at("file")).unwrap(), "old");
    assert_eq!(disk.names(), ["dangling", "file", "folder"]);
}

#[tokio::test]
async fn a_new_file_is_refused_outside_the_workspace_and_in_closed_folders() {
    let disk = Disk::new();
    fs::create_dir(disk.at("../outside")).unwrap();
    fs::create_dir(disk.at(".git")).unwrap();
    symlink("../outside", disk.at("out")).unwrap();
    symlink(".git", disk.at("harmless")).unwrap();
    for path in ["out/file", "out/deep/file", "harmless/hook"] {
        let created = disk.create(path, "new").await;
        assert!(
            matches!(created, Err(FileError::OutsideWorkspace)),
            "{created:?}"
        );
    }
    for folder in ["../outside", ".git"] {
        assert_eq!(fs::read_dir(disk.at(folder)).unwrap().count(), 0);
    }
}

#[tokio::test]
async fn bytes_are_read_up_to_a_limit() {
    let disk = Disk::new();
    fs::write(disk.at("image"), b"\x89PNG\0").unwrap();
    assert_eq!(disk.read_bytes("image", 5).await.unwrap(), b"\x89PNG\0");
    let read = disk.read_bytes("image", 4).await;
    assert!(
        matches!(read, Err(FileError::TooLarge { bytes: 5, limit: 4 })),
        "{read:?}"
    );
}

#[tokio::test]
async fn a_write_keeps_the_mode() {
    let disk = Disk::new();
    fs::write(disk.at("run.sh"), "old").unwrap();
    fs::set_permissions(disk.at("run.sh"), fs::Permissions::from_mode(0o751)).unwrap();
    disk.write("run.sh", "old", "new").await.unwrap();
    let mode = fs::metadata(disk.at("run.sh"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o7777, 0o751);
}

#[tokio::test]
async fn a_write_goes_through_a_link_and_leaves_it_a_link() {
    let disk = Disk::new();
    fs::write(disk.at("real"), "old").unwrap();
    symlink("real", disk.at("link")).unwrap();
    disk.write("link", "old", "new").await.unwrap();
    assert_eq!(fs::read_to_string(disk.at("real")).unwrap(), "new");
    assert!(fs::symlink_metadata(disk.at("link")).unwrap().is_symlink());
}

#[tokio::test]
async fn a_link_that_leads_out_is_refused_for_reading_and_writing() {
    let disk = Disk::new();
    fs::write(disk.at("../secret"), "secret").unwrap();
    symlink("../secret", disk.at("file")).unwrap();
    symlink("..", disk.at("folder")).unwrap();
    for path in ["file", "folder/secret"] {
        let read = disk.read(path).await;
        assert!(matches!(read, Err(FileError::OutsideWorkspace)));
        let written = disk.write(path, "secret", "changed").await;
        assert!(matches!(written, Err(FileError::OutsideWorkspace)));
    }
    assert_eq!(fs::read_to_string(disk.at("../secret")).unwrap(), "secret");
}

#[tokio::test]
async fn a_link_into_a_closed_folder_is_refused() {
    let disk = Disk::new();
    fs::create_dir(disk.at(".git")).unwrap();
    fs::write(disk.at(".git/config"), "url").unwrap();
    symlink(".git/config", disk.at("harmless")).unwrap();
    let read = disk.read("harmless").await;
    assert!(matches!(read, Err(FileError::OutsideWorkspace)));
}

#[tokio::test]
async fn a_file_that_changed_is_left_alone() {
    let disk = Disk::new();
    fs::write(disk.at("a"), "typed meanwhile").unwrap();
    let written = disk.write("a", "old", "new").await;
    assert!(matches!(written, Err(FileError::Changed)));
    assert_eq!(fs::read_to_string(disk.at("a")).unwrap(), "typed meanwhile");
}

#[tokio::test]
async fn a_read_only_file_is_left_alone() {
    let disk = Disk::new();
    fs::write(disk.at("a"), "old").unwrap();
    fs::set_permissions(disk.at("a"), fs::Permissions::from_mode(0o444)).unwrap();
    let written = disk.write("a", "old", "new").await;
    assert!(matches!(written, Err(FileError::Unwritable { .. })));
    assert_eq!(fs::read_to_string(disk.at("a")).unwrap(), "old");
    assert_eq!(disk.names(), ["a"]);
}

#[tokio::test]
async fn what_is_not_a_text_file_is_told_apart() {
    let disk = Disk::new();
    fs::create_dir(disk.at("folder")).unwrap();
    fs::write(disk.at("binary"), [0xff, 0xfe, 0x00]).unwrap();
    let large = File::create(disk.at("large")).unwrap();
    large.set_len(MAX_FILE_BYTES + 1).unwrap();
    assert!(matches!(disk.read("none").await, Err(FileError::NotFound)));
    assert!(matches!(
        disk.read("binary/x").await,
        Err(FileError::NotFound)
    ));
    assert!(matches!(
        disk.read("folder").await,
        Err(FileError::IsFolder)
    ));
    assert!(matches!(disk.read("binary").await, Err(FileError::NotText)));
    assert!(matches!(
        disk.read("large").await,
        Err(FileError::TooLarge { bytes, .. }) if bytes == MAX_FILE_BYTES + 1
    ));
}

fn origin() -> EditOrigin {
    EditOrigin {
        turn: TurnId(1),
        call: CallId::new("call"),
        standing: Standing::Kept,
        cancel: tokio_util::sync::CancellationToken::new(),
    }
}

#[cfg(target_os = "linux")]
#[test]
fn what_becomes_a_link_after_it_was_followed_is_neither_read_nor_written_through() {
    let disk = Disk::new();
    let root = disk.files.root.clone();
    let path = |path: &str| WorkspacePath::new(&root, path).unwrap();
    for folder in ["docs", "../outside"] {
        fs::create_dir(disk.at(folder)).unwrap();
        fs::write(disk.at(folder).join("a"), "one").unwrap();
    }
    let outside = disk.at("../outside").canonicalize().unwrap();
    let target = resolve(&root, &path("docs/a")).unwrap();
    let new = resolve_new(&root, &path("docs/b")).unwrap();

    fs::rename(disk.at("docs"), disk.at("old")).unwrap();
    symlink(&outside, disk.at("docs")).unwrap();
    assert!(read_bytes(&target, 10).is_err());
    assert!(write_atomically(&target, b"two").is_err());
    assert!(create_atomically(&new, b"two").is_err());

    let target = resolve(&root, &path("old/a")).unwrap();
    fs::remove_file(disk.at("old/a")).unwrap();
    symlink(outside.join("a"), disk.at("old/a")).unwrap();
    assert!(read_bytes(&target, 10).is_err());
    assert!(write_atomically(&target, b"two").is_err());

    assert_eq!(fs::read_to_string(outside.join("a")).unwrap(), "one");
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
    assert_eq!(fs::read_link(disk.at("old/a")).unwrap(), outside.join("a"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_is_held_stays_the_same() {
    let disk = Disk::new();
    fs::create_dir(disk.at("docs")).unwrap();
    fs::create_dir(disk.at("elsewhere")).unwrap();
    let held = exact::hold(&disk.at("docs").canonicalize().unwrap()).unwrap();
    fs::rename(disk.at("docs"), disk.at("old")).unwrap();
    symlink(disk.at("elsewhere"), disk.at("docs")).unwrap();
    fs::write(held.path().join("a"), "one").unwrap();
    assert!(disk.at("old/a").exists());
    assert!(!disk.at("elsewhere/a").exists());
}
