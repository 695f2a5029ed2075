//! What git knows about a folder: which files it could not bring back, its index, its stashes.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use pollux_exec::Variable;
use tokio::io::AsyncWriteExt;

use super::manifest::{Stash, from_bytes};

/// A repository this slow is not one to wait for.
const PATIENCE: Duration = Duration::from_secs(60);

/// Git in one work tree.
#[derive(Clone, Debug)]
pub(crate) struct Git {
    root: PathBuf,
    environment: Vec<Variable>,
}

/// Files that git has no copy of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ignored {
    Listed,
    LeftOut,
}

/// One line of `git status`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Changed {
    /// Absolute.
    pub(crate) path: PathBuf,
    pub(crate) how: How,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    Tracked,
    Untracked,
    Ignored,
}

impl Git {
    /// The work tree that a folder is in, if it is in one.
    pub(crate) async fn find(folder: &Path, environment: &[Variable]) -> Option<Self> {
        let mut environment = environment.to_vec();
        environment.retain(|(name, _)| {
            let name = name.to_string_lossy();
            !["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"].contains(&name.as_ref())
        });
        let here = Self {
            root: folder.to_owned(),
            environment,
        };
        let root = here.line(&["rev-parse", "--show-toplevel"]).await.ok()??;
        let root = std::fs::canonicalize(from_bytes(&root)).ok()?;
        Some(Self { root, ..here })
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Everything that differs from the index and the commit, and what git does not track.
    pub(crate) async fn changed(&self, ignored: Ignored) -> Result<Vec<Changed>> {
        let mut arguments = vec![
            "status",
            "--porcelain=v1",
            "-z",
            "--untracked-files=all",
            "--no-renames",
        ];
        if ignored == Ignored::Listed {
            arguments.push("--ignored=matching");
        }
        let listed = self.run(&arguments, None, None).await?;
        let lines = listed.split(|byte| *byte == 0);
        let changed = lines.filter_map(|line| {
            let (how, path) = (line.get(..2)?, line.get(3..)?);
            Some(Changed {
                path: self.root.join(from_bytes(path)),
                how: match how {
                    b"??" => How::Untracked,
                    b"!!" => How::Ignored,
                    _ => How::Tracked,
                },
            })
        });
        Ok(changed.collect())
    }

    pub(crate) async fn head(&self) -> Option<String> {
        let arguments = ["rev-parse", "--verify", "--quiet", "HEAD"];
        text(self.line(&arguments).await.ok()??)
    }

    pub(crate) async fn branch(&self) -> Option<String> {
        let arguments = ["symbolic-ref", "--short", "--quiet", "HEAD"];
        text(self.line(&arguments).await.ok()??)
    }

    /// Where the index is; it may not exist yet.
    pub(crate) async fn index(&self) -> Option<PathBuf> {
        let arguments = ["rev-parse", "--git-path", "index"];
        let path = self.line(&arguments).await.ok()??;
        Some(self.root.join(from_bytes(&path)))
    }

    /// The stashes, the newest first.
    pub(crate) async fn stashes(&self) -> Result<Vec<Stash>> {
        let arguments = ["stash", "list", "-z", "--format=%H %gs"];
        let listed = self.run(&arguments, None, None).await?;
        let lines = listed.split(|byte| *byte == 0);
        let stash = |line: &[u8]| {
            let line = String::from_utf8_lossy(line).into_owned();
            let (commit, message) = line.split_once(' ')?;
            Some(Stash {
                commit: commit.trim().to_owned(),
                message: message.to_owned(),
            })
        };
        Ok(lines.filter_map(stash).collect())
    }

    pub(crate) async fn put_stash_back(&self, stash: &Stash) -> Result<()> {
        let arguments = ["stash", "store", "-m", &stash.message, &stash.commit];
        self.run(&arguments, None, None).await.map(drop)
    }

    /// The tracked files that are not as an index says.
    pub(crate) async fn unlike(&self, index: &Path) -> Result<Vec<PathBuf>> {
        // The times in an old index mean nothing any more, so the contents have to be compared.
        let refresh = ["update-index", "-q", "--really-refresh"];
        let _says_by_its_code_what_differs = self.run(&refresh, Some(index), None).await;
        let arguments = ["diff-files", "--name-only", "-z", "--ignore-submodules"];
        let listed = self.run(&arguments, Some(index), None).await?;
        Ok(self.paths(&listed))
    }

    /// The tracked files of an index.
    pub(crate) async fn tracked(&self, index: Option<&Path>) -> Result<Vec<PathBuf>> {
        let listed = self.run(&["ls-files", "-z"], index, None).await?;
        Ok(self.paths(&listed))
    }

    /// Paths in which the work tree or the index differs from the commit.
    pub(crate) async fn unlike_head(&self) -> Result<Vec<PathBuf>> {
        let arguments = ["diff", "--name-only", "-z", "--no-ext-diff", "HEAD"];
        let listed = self.run(&arguments, None, None).await?;
        Ok(self.paths(&listed))
    }

    /// Whether the index holds something that is not committed.
    pub(crate) async fn has_staged(&self) -> bool {
        let arguments = ["diff", "--cached", "--quiet", "--no-ext-diff", "HEAD"];
        self.run(&arguments, None, None).await.is_err()
    }

    /// Writes files as an index has them. The index is a copy: git notes times in it.
    pub(crate) async fn check_out(&self, index: &Path, paths: &[PathBuf]) -> Result<()> {
        let mut names = Vec::new();
        for path in paths {
            let path = path.strip_prefix(&self.root).unwrap_or(path);
            names.extend_from_slice(path.as_os_str().as_encoded_bytes());
            names.push(0);
        }
        let arguments = ["checkout-index", "--force", "-z", "--stdin"];
        let written = self.run(&arguments, Some(index), Some(names)).await;
        written.map(drop)
    }

    /// The contents of objects, each with its name. One that is not there is left out.
    pub(crate) async fn contents(&self, names: &[String]) -> Result<Vec<(String, Vec<u8>)>> {
        let mut input = names.join("\n").into_bytes();
        input.push(b'\n');
        let answer = self
            .run(&["cat-file", "--batch"], None, Some(input))
            .await?;
        Ok(objects(&answer))
    }

    fn paths(&self, listed: &[u8]) -> Vec<PathBuf> {
        let names = listed
            .split(|byte| *byte == 0)
            .filter(|name| !name.is_empty());
        names.map(|name| self.root.join(from_bytes(name))).collect()
    }

    async fn line(&self, arguments: &[&str]) -> Result<Option<Vec<u8>>> {
        let mut output = self.run(arguments, None, None).await?;
        while output.last().is_some_and(|byte| b"\r\n".contains(byte)) {
            output.pop();
        }
        Ok((!output.is_empty()).then_some(output))
    }

    async fn run(
        &self,
        arguments: &[&str],
        index: Option<&Path>,
        input: Option<Vec<u8>>,
    ) -> Result<Vec<u8>> {
        #[expect(
            clippy::disallowed_methods,
            reason = "a question to git that ends with whoever asks it"
        )]
        let mut git = tokio::process::Command::new("git");
        git.arg("--no-optional-locks")
            .args(arguments)
            .current_dir(&self.root)
            .env_clear()
            .envs(self.environment.iter().map(pair))
            .env("LC_ALL", "C")
            .env("GIT_TERMINAL_PROMPT", "0")
            // What is not here is not fetched: a question has no business on the network.
            .env("GIT_NO_LAZY_FETCH", "1")
            .stdin(match input {
                Some(_) => Stdio::piped(),
                None => Stdio::null(),
            })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        if let Some(index) = index {
            git.env("GIT_INDEX_FILE", index);
        }
        let what = arguments.first().copied().unwrap_or_default();
        let mut child = git.spawn().context("git cannot be started")?;
        let stdin = child.stdin.take();
        let feed = async move {
            if let (Some(mut stdin), Some(input)) = (stdin, input) {
                // If git has ended, its own words say why.
                let _ended_early = stdin.write_all(&input).await;
            }
        };
        let both = async { tokio::join!(feed, child.wait_with_output()).1 };
        let output = tokio::time::timeout(PATIENCE, both)
            .await
            .with_context(|| format!("`git {what}` takes too long"))??;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            bail!("`git {what}` went wrong: {}", said.trim());
        }
        Ok(output.stdout)
    }
}

/// `<name> <kind> <size>`, the bytes, and the end of a line; or `<name> missing`.
fn objects(mut answer: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    while let Some(end) = memchr::memchr(b'\n', answer) {
        let (header, rest) = answer.split_at(end);
        let rest = rest.get(1..).unwrap_or_default();
        let header = String::from_utf8_lossy(header);
        let mut words = header.split(' ');
        let name = words.next().unwrap_or_default().to_owned();
        let size = words.nth(1).and_then(|size| size.parse::<usize>().ok());
        answer = rest;
        if let Some(size) = size {
            let Some((bytes, rest)) = rest.split_at_checked(size) else {
                break;
            };
            found.push((name, bytes.to_vec()));
            answer = rest.get(1..).unwrap_or_default();
        }
    }
    found
}

fn pair(variable: &Variable) -> (&OsStr, &OsString) {
    (variable.0.as_os_str(), &variable.1)
}

fn text(bytes: Vec<u8>) -> Option<String> {
    String::from_utf8(bytes).ok()
}
