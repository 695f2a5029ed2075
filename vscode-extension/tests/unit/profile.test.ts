import assert from "node:assert/strict";
import { test } from "node:test";
import { spentIn } from "../figures/profile";

test("what is done for the extension counts as its own, and what others do does not", () => {
  const node = (id: number, url: string, children: number[] = []): { id: number; callFrame: { url: string }; children: number[] } => ({
    id,
    callFrame: { url },
    children,
  });
  const ours = "file:///home/u/extensions/pollux.pollux-0.1.0/dist/extension.js";
  const profile = {
    nodes: [node(1, "", [2, 5]), node(2, ours, [3]), node(3, "node:fs", [4]), node(4, ""), node(5, "file:///other/extension.js")],
    samples: [1, 2, 4, 5, 3],
    timeDeltas: [100, 2_000, 500, 40_000, 1_500],
  };
  assert.equal(spentIn(profile, "pollux.pollux-"), 4);
});
