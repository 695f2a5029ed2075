//! The log: a file that does not grow for ever. Standard output belongs to the protocol.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use pollux_settings::Environment;
use tracing::Level;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// A file is put aside when it has grown to this.
const ROTATE_AT: u64 = 4 * 1024 * 1024;

/// Where the logs of this user are.
pub(crate) fn folder(environment: &Environment) -> PathBuf {
    let home = environment
        .get("GEMINI_CLI_HOME")
        .or_else(|| environment.get("HOME"));
    let home = home.map_or_else(std::env::temp_dir, PathBuf::from);
    home.join(".gemini/pollux/logs")
}

/// Starts logging. `POLLUX_LOG` is `error`, `warn`, `info`, `debug` or `trace`.
///
/// A log that cannot be opened is no reason not to work.
pub(crate) fn start(environment: &Environment, name: &str) {
    let level = environment
        .get("POLLUX_LOG")
        .and_then(|level| level.parse::<Level>().ok())
        .unwrap_or(Level::INFO);
    let path = folder(environment).join(name);
    let Ok(file) = RotatingFile::open(&path, ROTATE_AT) else {
        return;
    };
    // Libraries trace whole messages: what people type, and keys. Those stay out at any level.
    let ours = Targets::new()
        .with_target("pollux", level)
        .with_default(LevelFilter::WARN);
    let lines = tracing_subscriber::fmt::layer()
        .with_ansi(false)
        .with_writer(file);
    tracing_subscriber::registry().with(lines).with(ours).init();
    std::panic::set_hook(Box::new(|panic| tracing::error!("{panic}")));
}

/// Appends to a file, and puts it aside as `NAME.1` when it is full.
struct RotatingFile {
    path: PathBuf,
    limit: u64,
    file: Mutex<Open>,
}

struct Open {
    file: File,
    length: u64,
}

impl RotatingFile {
    fn open(path: &Path, limit: u64) -> io::Result<Self> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        Ok(Self {
            path: path.to_owned(),
            limit,
            file: Mutex::new(Open::append_to(path)?),
        })
    }

    fn write(&self, line: &[u8]) -> io::Result<()> {
        let mut open = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        if open.length + line.len() as u64 > self.limit {
            let mut aside = self.path.clone().into_os_string();
            aside.push(".1");
            fs::rename(&self.path, aside)?;
            *open = Open::append_to(&self.path)?;
        }
        open.file.write_all(line)?;
        open.length += line.len() as u64;
        Ok(())
    }
}

impl Open {
    fn append_to(path: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.create(true).append(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(path)?;
        let length = file.metadata()?.len();
        Ok(Self { file, length })
    }
}

impl<'a> MakeWriter<'a> for RotatingFile {
    type Writer = Line<'a>;

    fn make_writer(&'a self) -> Line<'a> {
        Line(self)
    }
}

/// One line on its way into the file. The formatter writes each in one piece.
struct Line<'a>(&'a RotatingFile);

impl Write for Line<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests;
