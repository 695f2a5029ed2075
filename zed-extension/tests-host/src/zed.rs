//! What the extension sees of an editor: settings, a `PATH`, a platform, releases on GitHub, and a folder of its own. Each
//! test says what there is; what the extension did is written down.

mod absent;
mod imports;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use anyhow::Result;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tempfile::TempDir;
use wasmtime::component::{Resource, ResourceTable};
use wasmtime_wasi::{DirPerms, FilePerms, WasiCtx, WasiCtxBuilder, WasiCtxView, WasiView};

pub use crate::world::zed::extension::platform::{Architecture, Os};

/// The folder that is open.
pub struct Worktree;

/// What a release says about one of its files.
pub(crate) struct Asset {
    pub(crate) name: String,
    pub(crate) address: String,
}

pub struct Zed {
    table: ResourceTable,
    wasi: WasiCtx,
    work: TempDir,
    settings: Result<Value, String>,
    on_path: Option<String>,
    platform: (Os, Architecture),
    releases: BTreeMap<String, Vec<Asset>>,
    /// What is behind an address: the files of an archive, by name.
    archives: BTreeMap<String, Vec<(String, Vec<u8>)>>,
    texts: BTreeMap<String, String>,
    log: Vec<String>,
}

impl Zed {
    /// Nothing is installed, nothing is set, and there is no release.
    pub fn new() -> Result<Self> {
        let work = TempDir::new()?;
        Ok(Self {
            table: ResourceTable::new(),
            wasi: surroundings(&work)?,
            work,
            settings: Ok(json!({})),
            on_path: None,
            platform: (Os::Linux, Architecture::X8664),
            releases: BTreeMap::new(),
            archives: BTreeMap::new(),
            texts: BTreeMap::new(),
            log: Vec::new(),
        })
    }

    /// Started again, with the same files on the disk and everything else as it was.
    pub fn restarted(self) -> Result<Self> {
        Ok(Self {
            table: ResourceTable::new(),
            wasi: surroundings(&self.work)?,
            ..self
        })
    }

    /// `lsp.pollux` in `settings.json`.
    pub fn with_settings(mut self, settings: Value) -> Self {
        self.settings = Ok(settings);
        self
    }

    pub fn with_broken_settings(mut self, why: &str) -> Self {
        self.settings = Err(why.to_owned());
        self
    }

    pub fn with_on_path(mut self, program: &str) -> Self {
        self.on_path = Some(program.to_owned());
        self
    }

    pub fn with_platform(mut self, os: Os, architecture: Architecture) -> Self {
        self.platform = (os, architecture);
        self
    }

    /// A release as `cargo xtask dist` makes it.
    pub fn with_release(self, version: &str, triple: &str, program: &[u8]) -> Self {
        self.with_release_of(version, triple, program, &digest(program))
    }

    /// One whose checksum may be that of another program.
    pub fn with_release_of(
        mut self,
        version: &str,
        triple: &str,
        program: &[u8],
        digest: &str,
    ) -> Self {
        let address = |name: &str| format!("https://releases.example/{name}");
        let archive = format!("pollux-{version}-{triple}.tar.gz");
        let checksum = format!("pollux-{version}-{triple}.sha256");
        let files = [("LICENSE", b"terms".as_slice()), ("pollux", program)];
        let files = files.map(|(name, bytes)| (name.to_owned(), bytes.to_vec()));
        self.archives.insert(address(&archive), files.to_vec());
        self.texts
            .insert(address(&checksum), format!("{digest}  pollux\n"));
        let assets = [archive, checksum].map(|name| Asset {
            address: address(&name),
            name,
        });
        self.releases.insert(format!("v{version}"), assets.into());
        self
    }

    /// A file in the extension's own folder.
    pub fn with_file(self, path: &str, text: &str) -> Result<Self> {
        let path = self.work.path().join(path);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(path, text)?;
        Ok(self)
    }

    /// What the extension asked for since the last time, one thing a line.
    pub fn take_log(&mut self) -> String {
        std::mem::take(&mut self.log).join("\n")
    }

    /// What lies in the extension's own folder, with `*` behind what can be run.
    pub fn files(&self) -> Result<String> {
        let mut lines = Vec::new();
        let mut folders = vec![self.work.path().to_path_buf()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder)? {
                let path = entry?.path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    lines.push(self.listed(path)?);
                }
            }
        }
        lines.sort();
        Ok(lines.join("\n"))
    }

    fn listed(&self, path: PathBuf) -> Result<String> {
        let mark = if is_executable(&path)? { "*" } else { "" };
        let name = path.strip_prefix(self.work.path())?;
        Ok(format!("{}{mark}", name.display()))
    }

    pub(crate) fn worktree(&mut self) -> Result<Resource<Worktree>> {
        Ok(self.table.push(Worktree)?)
    }
}

impl WasiView for Zed {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView {
            ctx: &mut self.wasi,
            table: &mut self.table,
        }
    }
}

/// One folder under two names, and nothing else of the machine.
fn surroundings(work: &TempDir) -> Result<WasiCtx> {
    let path = work.path().to_string_lossy().into_owned();
    let mut wasi = WasiCtxBuilder::new();
    wasi.inherit_stdio().env("PWD", &path);
    for name in [".", &path] {
        wasi.preopened_dir(&path, name, DirPerms::all(), FilePerms::all())?;
    }
    Ok(wasi.build())
}

fn digest(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn is_executable(path: &std::path::Path) -> Result<bool> {
    use std::os::unix::fs::PermissionsExt;
    Ok(fs::metadata(path)?.permissions().mode() & 0o111 != 0)
}
