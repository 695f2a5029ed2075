// Loaded before the tests of a file: a process whose tests are all over ends, also when one of them left something
// open. `--test-force-exit` would do it too, but it also ends the process that writes the report before the last lines
// are written.

/** Longer than it takes to close what the tests have shared. */
const GRACE_MS = 60_000;

// The process that starts the others has no tests of its own.
if (process.env["NODE_TEST_CONTEXT"] !== undefined) {
  const { after } = await import("node:test");
  after(() => void setTimeout(() => process.exit(), GRACE_MS).unref());
}
