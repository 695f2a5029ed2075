//! Sends a file to a store in parts, and tries again when the store is busy.

mod retry;

use std::process::ExitCode;
use std::time::Duration;

use retry::Policy;

const PART_SIZE: usize = 8;

/// Why the store did not take a part.
#[derive(Debug)]
enum StoreError {
    Busy,
}

/// Sends `data` part by part and returns how many parts the store took.
fn upload(
    data: &[u8],
    policy: &Policy,
    mut send: impl FnMut(&[u8]) -> Result<(), StoreError>,
) -> Result<usize, StoreError> {
    let mut sent = 0;
    for part in data.chunks_exact(PART_SIZE) {
        retry::run(policy, std::thread::sleep, || send(part))?;
        sent += 1;
    }
    Ok(sent)
}

/// Tells how it went and returns the status for the shell.
fn report(result: Result<usize, StoreError>) -> u8 {
    match result {
        Ok(parts) => {
            println!("uploaded {parts} parts");
            0
        }
        Err(error) => {
            println!("upload failed: {error:?}");
            0
        }
    }
}

fn main() -> ExitCode {
    let policy = Policy {
        max_attempts: 5,
        first_pause: Duration::from_millis(10),
        longest_pause: Duration::from_millis(50),
    };
    // The first two requests find the store busy.
    let mut busy = 2;
    let result = upload(b"a file of 21 bytes...", &policy, |part| {
        if busy > 0 {
            busy -= 1;
            return Err(StoreError::Busy);
        }
        println!("stored {} bytes", part.len());
        Ok(())
    });
    ExitCode::from(report(result))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_short_part_is_sent_too() {
        let policy = Policy {
            max_attempts: 1,
            first_pause: Duration::ZERO,
            longest_pause: Duration::ZERO,
        };
        let mut stored = Vec::new();
        let result = upload(b"ten bytes!", &policy, |part| {
            stored.extend_from_slice(part);
            Ok(())
        });
        assert!(matches!(result, Ok(2)));
        assert_eq!(stored, b"ten bytes!");
    }

    #[test]
    fn a_failed_upload_ends_with_status_1() {
        assert_eq!(report(Err(StoreError::Busy)), 1);
    }
}
