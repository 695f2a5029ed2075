// A runner that fits into the extension host: one test after the other, each line of the report written at once, so
// that a host that dies in the middle has still said how far it came.
import { appendFileSync } from "node:fs";
import { required } from "../../e2e/processes";

/** A wait that has no deadline of its own must not hold up all that comes after it. */
const LONGEST_MS = 150_000;

interface HostTest {
  name: string;
  play: () => Promise<void>;
}

const tests: HostTest[] = [];

export function test(name: string, play: () => Promise<void>): void {
  tests.push({ name, play });
}

/** Before each test. */
export async function runAll(before: () => Promise<void>): Promise<void> {
  const say = (line: string): void => appendFileSync(required("POLLUX_REPORT"), `${line}\n`);
  say(`TAP version 13\n1..${tests.length}`);
  let failed = 0;
  for (const [place, { name, play }] of tests.entries()) {
    const start = Date.now();
    try {
      await inTime(before().then(play));
      say(`ok ${place + 1} - ${name}\n  # ${Date.now() - start} ms`);
    } catch (error) {
      failed += 1;
      const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
      say(`not ok ${place + 1} - ${name}\n${reason.replaceAll(/^/gm, "  ")}`);
    }
  }
  if (failed > 0) throw new Error(`${failed} of ${tests.length} failed`);
}

function inTime(playing: Promise<void>): Promise<void> {
  const late = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error("it took too long")), LONGEST_MS).unref();
  });
  return Promise.race([playing, late]);
}
