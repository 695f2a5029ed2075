//! A private place to run in: nothing of the person's own set-up is read, and no host of theirs
//! is met.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result};
use serde_json::Value;

/// Removed with everything in it when dropped.
pub(super) struct Place {
    folder: PathBuf,
    variables: Vec<(String, String)>,
}

impl Place {
    pub(super) fn new() -> Result<Self> {
        // A socket's path has room for about a hundred bytes, so the name is short.
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("px{}-{number}", std::process::id());
        let short = Path::new("/tmp");
        let parent = if short.is_dir() {
            short.to_path_buf()
        } else {
            std::env::temp_dir()
        };
        let place = Self {
            folder: parent.join(name),
            variables: Vec::new(),
        };
        // The folder of the sockets is left to the program, which wants it for itself.
        for folder in [place.home(), place.workspace()] {
            fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        }
        Ok(place)
    }

    pub(super) fn workspace(&self) -> PathBuf {
        self.folder.join("w")
    }

    /// For scripts and records, out of sight of the programs that are measured.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Sets a variable for every program that is started here from now on.
    pub(super) fn set(&mut self, name: &str, value: &str) {
        self.variables.retain(|(known, _)| known != name);
        self.variables.push((name.to_owned(), value.to_owned()));
    }

    /// The settings of the person whose home this is.
    pub(super) fn write_settings(&self, settings: &Value) -> Result<()> {
        let folder = self.home().join(".gemini");
        fs::create_dir_all(&folder)?;
        fs::write(folder.join("settings.json"), settings.to_string())?;
        Ok(())
    }

    /// The program with an environment that holds nothing but this place.
    pub(super) fn command(&self, program: &Path) -> Result<Command> {
        let log = fs::File::create(self.log())?;
        let mut command = Command::new(program);
        command
            .current_dir(self.workspace())
            .env_clear()
            .env("HOME", self.home())
            .env("POLLUX_RUNTIME_DIR", self.sockets())
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .stderr(Stdio::from(log));
        if let Some(path) = std::env::var_os("PATH") {
            command.env("PATH", path);
        }
        Ok(command)
    }

    /// What a program that went wrong had to say, as an addition to the error.
    pub(super) fn last_words(&self) -> String {
        let log = fs::read_to_string(self.log()).unwrap_or_default();
        match log.trim() {
            "" => "it printed nothing on stderr".to_owned(),
            text => format!("its stderr: {text}"),
        }
    }

    fn home(&self) -> PathBuf {
        self.folder.join("h")
    }

    fn sockets(&self) -> PathBuf {
        self.folder.join("r")
    }

    fn log(&self) -> PathBuf {
        self.folder.join("stderr")
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _left_for_the_system_to_clean = fs::remove_dir_all(&self.folder);
    }
}
