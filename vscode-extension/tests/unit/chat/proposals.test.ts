import assert from "node:assert/strict";
import { test } from "node:test";
import { Proposals } from "../../../src/chat/proposals";
import { proposal, shownHunk } from "./proposed";

const TWINS = proposal(1, ["x\n", "y\n", 2], ["x\n", "y\n", 20]);

test("of two hunks with the same text the nearer one is meant", () => {
  const proposals = new Proposals();
  proposals.hear([TWINS]);
  // The first was decided, and somebody has typed a line above the second.
  const shown = [shownHunk(0, 21, "x\n", "y\n")];
  assert.deepEqual(proposals.news(() => shown), [{ proposal: 1, open: [1] }]);
  assert.equal(proposals.find(1, 1, () => shown), shown[0]);
  assert.equal(proposals.find(1, 0, () => shown), undefined);
});

test("before the file shows the hunks nothing is said about them", () => {
  const proposals = new Proposals();
  proposals.hear([TWINS]);
  assert.deepEqual(proposals.news(() => []), []);
});

test("what was decided or is over is not looked for", () => {
  const shown = [shownHunk(0, 2, "x\n", "y\n")];
  for (const end of [
    { kind: "editDecided", proposal: 1, decisions: ["keep", "keep"] },
    { kind: "turnEnded", turn: 1, outcome: "cancelled", message: "" },
  ] as const) {
    const proposals = new Proposals();
    proposals.hear([TWINS, { ...end, ...("decisions" in end ? { decisions: [...end.decisions] } : {}) } as never]);
    assert.deepEqual(proposals.news(() => shown), []);
  }
});
