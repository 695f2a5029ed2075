use std::collections::BTreeMap;

use expect_test::expect;

use super::*;

/// A disk on which everything belongs to root.
pub(crate) struct AllOfRoot;

impl Inspect for AllOfRoot {
    fn node(&self, _path: &Path) -> io::Result<Node> {
        Ok(folder(0, 0o755))
    }

    fn real(&self, path: &Path) -> io::Result<PathBuf> {
        std::fs::canonicalize(path)
    }
}

/// Root's disk with a few exceptions.
#[derive(Default)]
pub(crate) struct Fake {
    pub(crate) nodes: BTreeMap<&'static str, Node>,
    pub(crate) links: BTreeMap<&'static str, &'static str>,
}

impl Inspect for Fake {
    fn node(&self, path: &Path) -> io::Result<Node> {
        let text = path.to_str().unwrap();
        Ok(self.nodes.get(text).copied().unwrap_or(folder(0, 0o755)))
    }

    fn real(&self, path: &Path) -> io::Result<PathBuf> {
        let text = path.to_str().unwrap();
        if text.contains("missing") {
            return Err(io::ErrorKind::NotFound.into());
        }
        Ok(self
            .links
            .get(text)
            .map_or_else(|| path.to_path_buf(), PathBuf::from))
    }
}

pub(crate) fn folder(owner: u32, mode: u32) -> Node {
    Node {
        owner,
        mode,
        kind: NodeKind::Other,
    }
}

fn link(owner: u32) -> Node {
    Node {
        owner,
        mode: 0o777,
        kind: NodeKind::Link,
    }
}

#[test]
fn only_what_root_alone_can_write_is_believed() {
    let file = "/etc/gemini-cli/settings.json";
    let table: [(&str, Fake); 8] = [
        ("all of root", Fake::default()),
        (
            "file of a user",
            Fake {
                nodes: BTreeMap::from([(file, folder(1000, 0o644))]),
                ..Fake::default()
            },
        ),
        (
            "file writable by a group",
            Fake {
                nodes: BTreeMap::from([(file, folder(0, 0o664))]),
                ..Fake::default()
            },
        ),
        (
            "folder writable by all",
            Fake {
                nodes: BTreeMap::from([("/etc/gemini-cli", folder(0, 0o1777))]),
                ..Fake::default()
            },
        ),
        (
            "folder of a user",
            Fake {
                nodes: BTreeMap::from([("/etc", folder(1000, 0o755))]),
                ..Fake::default()
            },
        ),
        (
            "root's link",
            Fake {
                nodes: BTreeMap::from([(file, link(0))]),
                links: BTreeMap::from([(file, "/opt/managed/settings.json")]),
            },
        ),
        (
            "a user's link",
            Fake {
                nodes: BTreeMap::from([(file, link(1000))]),
                links: BTreeMap::from([(file, "/opt/managed/settings.json")]),
            },
        ),
        (
            "root's link to a weak place",
            Fake {
                nodes: BTreeMap::from([(file, link(0)), ("/opt/managed", folder(0, 0o777))]),
                links: BTreeMap::from([(file, "/opt/managed/settings.json")]),
            },
        ),
    ];
    let rows: Vec<String> = table
        .iter()
        .map(|(name, disk)| match check(Path::new(file), disk) {
            Ok(()) => format!("{name}: believed"),
            Err(weakness) => format!("{name}: {weakness}"),
        })
        .collect();
    expect![[r#"
        all of root: believed
        file of a user: /etc/gemini-cli/settings.json does not belong to root
        file writable by a group: others than root may write to /etc/gemini-cli/settings.json
        folder writable by all: others than root may write to /etc/gemini-cli
        folder of a user: /etc does not belong to root
        root's link: believed
        a user's link: /etc/gemini-cli/settings.json does not belong to root
        root's link to a weak place: others than root may write to /opt/managed"#]]
    .assert_eq(&rows.join("\n"));
    assert_eq!(
        check(Path::new("/missing/s.json"), &Fake::default()),
        Ok(())
    );
}

#[cfg(unix)]
#[test]
fn a_file_below_a_folder_that_everyone_may_write_to_is_not_believed() {
    use std::os::unix::fs::PermissionsExt;

    let dir = tempfile::tempdir().unwrap();
    let open = dir.path().join("open");
    std::fs::create_dir(&open).unwrap();
    std::fs::set_permissions(&open, std::fs::Permissions::from_mode(0o777)).unwrap();
    let file = open.join("settings.json");
    std::fs::write(&file, "{}").unwrap();
    assert!(check(&file, &Disk).is_err());
}
