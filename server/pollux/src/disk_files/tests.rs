use std::os::unix::fs::{PermissionsExt, symlink};

use tempfile::TempDir;

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
        self.files.write(&path, base, text).await
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
    let before = "\u{feff}a\r\nb\rc\nä";
    fs::write(disk.at("a"), before).unwrap();
    assert_eq!(disk.read("a").await.unwrap(), before);
    let after = "\u{feff}A\r\nb\rc\nä";
    disk.write("a", before, after).await.unwrap();
    assert_eq!(fs::read(disk.at("a")).unwrap(), after.as_bytes());
    assert_eq!(disk.names(), ["a"]);
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
