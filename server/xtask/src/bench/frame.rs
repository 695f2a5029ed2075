//! Messages on a pipe: a `Content-Length` header, an empty line, and that many bytes of JSON.

use std::io::BufRead;

use anyhow::{Context, Result, bail};
use serde_json::Value;

#[cfg(test)]
mod tests;

/// Larger than anything the benches ask for.
const LARGEST: usize = 64 << 20;

pub(super) fn encode(message: &Value) -> Vec<u8> {
    let body = message.to_string();
    format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

/// The next message; `None` when the pipe has ended between two messages.
pub(super) fn read(pipe: &mut impl BufRead) -> Result<Option<Value>> {
    let mut length = None;
    loop {
        let mut line = String::new();
        if pipe.read_line(&mut line)? == 0 {
            if length.is_some() {
                bail!("the pipe ended inside a header");
            }
            return Ok(None);
        }
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        let (name, value) = line
            .split_once(':')
            .with_context(|| format!("`{line}` is no header"))?;
        if name.eq_ignore_ascii_case("content-length") {
            length = Some(value.trim().parse::<usize>()?);
        }
    }
    let length = length.context("a header without Content-Length")?;
    if length > LARGEST {
        bail!("a message of {length} bytes");
    }
    let mut body = vec![0; length];
    pipe.read_exact(&mut body)
        .context("the pipe ended inside a message")?;
    Ok(Some(serde_json::from_slice(&body)?))
}
