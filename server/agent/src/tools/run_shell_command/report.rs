//! What a model is told about a command that has ended.

use std::time::Duration;

use pollux_exec::{Captured, Cut, Ended, Exit, OutputKind};

use crate::Scratch;
use crate::api::CommandExit;

/// Of an output that is too long, this share is its beginning.
const HEAD_PERCENT: usize = 20;

pub(super) fn told(ended: &Ended, text: &str) -> String {
    let mut lines = vec![match text.is_empty() {
        true => "Output: (empty)".to_owned(),
        false => format!("Output: {text}"),
    }];
    match ended.exit {
        Exit::Code(0) | Exit::Killed | Exit::TimedOut => {}
        Exit::Code(code) => lines.push(format!("Exit Code: {code}")),
        Exit::Signal(signal) => lines.push(format!("Signal: {signal}")),
        Exit::Lost => lines.push("Error: the command was ended from outside".to_owned()),
    }
    if !ended.refused.is_empty() {
        lines.push(format!(
            "Refused: the command ran read-only because it was judged to only read, but it tried to {}. To run it \
             with write access, call the tool again with the same command; the user is then asked.",
            attempts(ended)
        ));
    }
    if !ended.background.is_empty() {
        let pids: Vec<String> = ended.background.iter().map(u32::to_string).collect();
        lines.push(format!("Background PIDs: {}", pids.join(", ")));
        lines.push(format!("Process Group PGID: {}", ended.group));
    }
    lines.join("\n")
}

/// What a read-only command tried to do. A path may hold anything, so it stays on one line.
fn attempts(ended: &Ended) -> String {
    const SHOWN: usize = 5;
    let shown = ended.refused.iter().take(SHOWN);
    let mut attempts: Vec<String> = shown
        .map(|refused| refused.to_string().replace(char::is_control, "?"))
        .collect();
    let more = ended.refused.len().saturating_sub(SHOWN);
    if more > 0 {
        attempts.push(format!("{more} more"));
    }
    attempts.join(", ")
}

/// The same as data: what a command prints may look like anything.
pub(super) fn exit(ended: &Ended) -> Option<CommandExit> {
    match ended.exit {
        Exit::Code(code) => Some(CommandExit::Code(code)),
        Exit::Signal(signal) => Some(CommandExit::Signal(signal)),
        Exit::Killed | Exit::TimedOut | Exit::Lost => None,
    }
}

/// Why a command was ended that printed nothing.
pub(super) fn silent_for(time: Duration) -> String {
    let minutes = time.as_secs_f64() / 60.0;
    format!(
        "Command was automatically cancelled because it exceeded the timeout of {minutes:.1} minutes without output."
    )
}

/// For the person, who has seen the output.
pub(super) fn summary(ended: &Ended) -> String {
    let output = match ended.refused.is_empty() {
        true => amount(&ended.output),
        false => format!("{}, refused to {}", amount(&ended.output), attempts(ended)),
    };
    match ended.exit {
        Exit::Code(0) => format!("done, {output}"),
        Exit::Code(code) => format!("exit code {code}, {output}"),
        Exit::Signal(signal) => format!("ended by signal {signal}, {output}"),
        Exit::TimedOut => format!("silent for too long, {output}"),
        Exit::Killed => format!("stopped, {output}"),
        Exit::Lost => format!("ended from outside, {output}"),
    }
}

/// People count lines, as long as they could have read them.
fn amount(output: &Captured) -> String {
    if output.total_bytes == 0 {
        return "no output".to_owned();
    }
    let text = output.whole().filter(|_| output.kind == OutputKind::Text);
    match text.map(|text| text.lines().count()) {
        Some(1) => "1 line of output".to_owned(),
        Some(lines) => format!("{lines} lines of output"),
        None => match output.total_bytes {
            bytes @ 0..1_048_576 => format!("{} kB of output", bytes.div_ceil(1024)),
            bytes => format!("{} MB of output", bytes / 1_048_576),
        },
    }
}

/// The output with its middle left out where it is longer than this many characters. The whole of it is in a file
/// then, as far as there is a place for it.
pub(super) async fn shortened(
    output: &Captured,
    longest: usize,
    scratch: Option<&dyn Scratch>,
    name: &str,
) -> String {
    if output.kind == OutputKind::Binary {
        return format!("[Binary output: {} bytes]", output.total_bytes);
    }
    let whole = output.whole();
    let whole = whole.as_deref().map(str::trim_end);
    if let Some(text) = whole
        && (longest == 0 || text.chars().count() <= longest)
    {
        return text.to_owned();
    }
    let file = match (&output.file, whole, scratch) {
        (Some(spooled), _, _) => {
            let note = match &spooled.cut {
                None => "",
                Some(Cut::AtTheLimit) => " (its first part: the rest was too long)",
                Some(Cut::Failed(_)) => " (as far as it could be written)",
            };
            Some(format!("{}{note}", spooled.path.display()))
        }
        (None, Some(text), Some(scratch)) => {
            let written = scratch.write(name, text).await;
            written.ok().map(|path| path.display().to_string())
        }
        _ => None,
    };
    match whole {
        Some(text) => cut_text(text, longest, file.as_deref()),
        None => cut_parts(output, longest, file.as_deref()),
    }
}

/// Of a text that is there as a whole.
pub(in crate::tools) fn cut_text(text: &str, longest: usize, file: Option<&str>) -> String {
    let (head, tail) = shares(longest);
    let omitted = text.chars().count().saturating_sub(longest);
    let omitted = format!("{omitted} characters");
    parted(
        first_chars(text, head),
        &omitted,
        last_chars(text, tail),
        file,
    )
}

/// Of a text whose middle is gone already. How much of it there was is known in bytes.
fn cut_parts(output: &Captured, longest: usize, file: Option<&str>) -> String {
    let (head, tail) = match longest {
        0 => (usize::MAX, usize::MAX),
        longest => shares(longest),
    };
    let head = first_chars(&output.head, head);
    let tail = last_chars(output.tail.trim_end(), tail);
    let unseen = output.head.len() - head.len() + output.tail.trim_end().len() - tail.len();
    let omitted = u64::try_from(unseen).unwrap_or_default() + output.left_out;
    parted(head, &format!("{omitted} bytes"), tail, file)
}

/// How long the beginning may be, and how long the end.
fn shares(longest: usize) -> (usize, usize) {
    let head = longest * HEAD_PERCENT / 100;
    (head, longest - head)
}

fn parted(head: &str, omitted: &str, tail: &str, file: Option<&str>) -> String {
    let place = match file {
        Some(file) => format!(" For full output see: {file}"),
        None => String::new(),
    };
    format!(
        "Output too large. Showing first {} and last {} characters.{place}\n{head}\n\n... [{omitted} omitted] \
         ...\n\n{tail}",
        head.chars().count(),
        tail.chars().count(),
    )
}

fn first_chars(text: &str, count: usize) -> &str {
    match text.char_indices().nth(count) {
        Some((end, _)) => text.get(..end).unwrap_or_default(),
        None => text,
    }
}

fn last_chars(text: &str, count: usize) -> &str {
    match count.checked_sub(1) {
        None => "",
        Some(before) => match text.char_indices().nth_back(before) {
            Some((start, _)) => text.get(start..).unwrap_or_default(),
            None => text,
        },
    }
}
