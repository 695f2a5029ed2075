import assert from "node:assert/strict";
import { test } from "node:test";
import type { SessionEvent } from "../../src/protocol";
import { TurnKeeper, type ReviewMode } from "../../src/review/reviewMode";

const END: SessionEvent = { kind: "turnEnded", turn: 3, outcome: "completed", message: "" };

async function kept(mode: ReviewMode, past: boolean, answer: () => Promise<{ message?: string }>): Promise<{ asked: unknown[]; said: string[] }> {
  const asked: unknown[] = [];
  const said: string[] = [];
  const execute = (command: string, argument: unknown) => {
    asked.push([command, argument]);
    return answer();
  };
  new TurnKeeper({ execute }, () => mode, (message) => said.push(message)).hear({ session: "s", cursor: 1, past, events: [{ kind: "text", text: "done" }, END] });
  await new Promise((done) => setImmediate(done));
  return { asked, said };
}

test("a turn is kept when it ends where nobody wants to look at it, and only then", async () => {
  const answer = () => Promise.resolve({ message: "Kept 2 hunks in a file." });
  assert.deepEqual(await kept("auto", false, answer), {
    asked: [["pollux.all.keep", { session: "s", turn: 3 }]],
    said: ["Kept 2 hunks in a file."],
  });
  assert.deepEqual((await kept("auto", true, answer)).asked, [], "what is only said again was decided then");
  for (const mode of ["ask", "after"] as const) assert.deepEqual((await kept(mode, false, answer)).asked, []);
});

test("a turn that has changed nothing is no failure", async () => {
  assert.deepEqual((await kept("auto", false, () => Promise.reject(new Error("nothing is pending")))).said, []);
});
