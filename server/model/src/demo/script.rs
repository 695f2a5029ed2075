//! The edits that the demo knows by heart: they fix the sample workspace that ships with the `pollux` binary,
//! where a test holds the two together.

/// One edit of the sample, with the words that go with it.
pub(super) struct Edit {
    pub(super) file: &'static str,
    /// The fault, as a full clause.
    pub(super) fault: &'static str,
    /// What is true once the edit is in.
    pub(super) fixed: &'static str,
    /// What the edit does, as an instruction.
    pub(super) instruction: &'static str,
    pub(super) old: &'static str,
    pub(super) new: &'static str,
}

/// The files of the sample that the edits touch, in reading order.
pub(super) const FILES: [&str; 2] = ["src/retry.rs", "src/upload.rs"];

/// Reads and counts, and changes nothing: a command that runs without asking.
pub(super) const COMMAND: &str = "wc -l src/retry.rs src/upload.rs README.md";

/// Changes nothing either, but a program of `awk` may do anything: somebody is asked.
pub(super) const CHECK: &str = "awk 'length > 100' src/retry.rs src/upload.rs";

/// What the demo does, for its list of steps.
pub(super) const STEPS: [&str; 3] = [
    "Read the program",
    "Fix what the README promises",
    "Look at the result",
];

pub(super) const EDITS: [Edit; 4] = [
    Edit {
        file: "src/retry.rs",
        fault: "the attempt counter starts again after every pause, so the limit is never reached; the \
                limit itself lets one attempt too many through",
        fixed: "it gives up after exactly `max_attempts` attempts",
        instruction: "Stop after max_attempts attempts",
        old: "            Err(error) if attempt > policy.max_attempts => return Err(error),
            Err(_) => {
                pause(policy.pause_after(attempt));
                attempt = 0;
            }
",
        new: "            Err(error) if attempt >= policy.max_attempts => return Err(error),
            Err(_) => {
                pause(policy.pause_after(attempt));
            }
",
    },
    Edit {
        file: "src/retry.rs",
        fault: "the pause doubles without end, and overflows at the 33rd attempt",
        fixed: "no pause is longer than `longest_pause`",
        instruction: "Limit the pause to longest_pause",
        old: "        self.first_pause * 2_u32.pow(doublings)
",
        new: "        self.first_pause
            .saturating_mul(2_u32.saturating_pow(doublings))
            .min(self.longest_pause)
",
    },
    Edit {
        file: "src/upload.rs",
        fault: "`chunks_exact` leaves out the last part when it is shorter than the others",
        fixed: "the last, shorter part is sent too",
        instruction: "Send the last, shorter part too",
        old: "    for part in data.chunks_exact(PART_SIZE) {
",
        new: "    for part in data.chunks(PART_SIZE) {
",
    },
    Edit {
        file: "src/upload.rs",
        fault: "a failed upload still ends with status 0",
        fixed: "a failed upload ends with status 1",
        instruction: "End with status 1 when the upload fails",
        old: "            println!(\"upload failed: {error:?}\");
            0
",
        new: "            eprintln!(\"upload failed: {error:?}\");
            1
",
    },
];
