//! Counting what passed and what failed, and saying so at the end.

use std::process::ExitCode;
use std::time::Instant;

use anyhow::Result;

#[cfg(test)]
mod tests;

/// What one check or a whole suite of tests came to.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) passed: usize,
    /// Why each failed one failed; its length may be below `failed`.
    pub(crate) failures: Vec<String>,
    pub(crate) failed: usize,
    /// What passed at the second attempt only: each is a fault of the test or of the code.
    pub(crate) unsteady: Vec<String>,
}

pub(crate) struct Tally {
    steps: usize,
    begun: usize,
    total: Outcome,
}

impl Tally {
    pub(crate) fn of_steps(steps: usize) -> Self {
        Self {
            steps,
            begun: 0,
            total: Outcome::default(),
        }
    }

    /// A step that counts as one.
    pub(crate) fn check(&mut self, name: &str, step: impl FnOnce() -> Result<()>) {
        self.suite(name, || {
            step().map(|()| Outcome {
                passed: 1,
                ..Outcome::default()
            })
        });
    }

    /// A step that counts as many as it says; one failure if it cannot say.
    pub(crate) fn suite(&mut self, name: &str, step: impl FnOnce() -> Result<Outcome>) {
        self.begun += 1;
        println!("[{}/{}] {name} …", self.begun, self.steps);
        let start = Instant::now();
        let outcome = step().unwrap_or_else(|error| {
            println!("      {error:#}");
            Outcome {
                failures: vec![format!("{name}: {error:#}")],
                failed: 1,
                ..Outcome::default()
            }
        });
        let verdict = if outcome.failed == 0 { "ok" } else { "FAILED" };
        println!("      {verdict} ({:.1} s)", start.elapsed().as_secs_f64());
        self.total.passed += outcome.passed;
        self.total.failed += outcome.failed;
        self.total.failures.extend(outcome.failures);
        self.total.unsteady.extend(outcome.unsteady);
    }

    /// Prints the closing line, which must stay the last one: machines read it.
    pub(crate) fn close(self) -> ExitCode {
        println!("\n{}", self.closing());
        if self.total.failed == 0 {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        }
    }

    fn closing(&self) -> String {
        let mut text = String::new();
        let lists = [
            (
                "passed at the second attempt only, to be mended:",
                &self.total.unsteady,
            ),
            ("failed:", &self.total.failures),
        ];
        for (heading, lines) in lists.iter().filter(|(_, lines)| !lines.is_empty()) {
            text.push_str(&format!("{heading}\n"));
            for line in *lines {
                text.push_str(&format!("  - {line}\n"));
            }
        }
        text + &format!("{} passed, {} failed", self.total.passed, self.total.failed)
    }
}
