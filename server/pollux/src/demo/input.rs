use std::io::BufRead;
use std::thread;

use tokio::sync::mpsc;

/// Lines that a person types. Read on a thread of its own, so that waiting for a line does not keep the turn
/// from being stopped; read only when asked for.
pub(super) struct Input {
    /// `None` when there is nobody to type.
    reader: Option<Reader>,
}

struct Reader {
    wanted: mpsc::Sender<()>,
    lines: mpsc::Receiver<String>,
}

impl Input {
    /// The thread ends with the input or with this value. One that still waits for a line is left to the end of
    /// the process: a read cannot be called off.
    pub(super) fn from_reader(mut reader: impl BufRead + Send + 'static) -> Self {
        let (wanted, mut wanted_rx) = mpsc::channel(1);
        let (line_tx, lines) = mpsc::channel(1);
        thread::spawn(move || {
            while wanted_rx.blocking_recv().is_some() {
                let mut line = String::new();
                match reader.read_line(&mut line) {
                    Ok(length) if length > 0 => {}
                    Ok(_) | Err(_) => break,
                }
                if line_tx.blocking_send(line).is_err() {
                    break;
                }
            }
        });
        Self {
            reader: Some(Reader { wanted, lines }),
        }
    }

    pub(super) fn none() -> Self {
        Self { reader: None }
    }

    pub(super) fn has_person(&self) -> bool {
        self.reader.is_some()
    }

    /// The next line, `None` at the end of the input.
    pub(super) async fn line(&mut self) -> Option<String> {
        let reader = self.reader.as_mut()?;
        reader.wanted.send(()).await.ok()?;
        reader.lines.recv().await
    }
}
