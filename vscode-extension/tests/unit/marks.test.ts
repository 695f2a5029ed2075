import assert from "node:assert/strict";
import { test } from "node:test";
import type { PendingState } from "../../src/protocol";
import { HunkStore, type PlacedHunk } from "../../src/review/hunks";
import { hiddenLines, marksOf } from "../../src/review/marks";
import { lineOnOtherSide } from "../../src/review/sides";
import { FILE, hunk, message } from "./samples";

const LINES = 30;

function placed(first: number, last: number, removed: string, added: string, state: PendingState = "pending"): PlacedHunk {
  const store = new HunkStore();
  store.replace(message([hunk(first, last, removed, added, { state })]));
  return store.file(FILE)!.hunks[0]!;
}

test("a line that gave way to one line is shown behind it, and nothing is hidden", () => {
  const one = placed(4, 5, "  old();\n", "  fresh();\n");
  assert.deepEqual(marksOf(one, LINES).ghosts, [{ line: 4, text: "old();", lines: 1, side: "removed" }]);
  assert.equal(hiddenLines(one), 0);
});

test("more lines than there is room for are counted in one place, and not squeezed into a line each", () => {
  const many = placed(4, 6, "one\ntwo\nthree\n", "1\n2\n");
  assert.deepEqual(marksOf(many, LINES).ghosts, [{ line: 4, text: "one", lines: 3, side: "removed" }]);
  assert.equal(hiddenLines(many), 3);
});

test("lines that are gone are counted where they stood; one that is blank is not what is quoted", () => {
  const gap = placed(7, 7, "\n  gone();\nalso();\n", "");
  assert.deepEqual(marksOf(gap, LINES).ghosts, [{ line: 7, text: "gone();", lines: 3, side: "removed" }]);
  assert.equal(hiddenLines(gap), 3);
  assert.equal(hiddenLines(placed(7, 7, "gone();\n", "")), 0);
});

test("new lines of a proposal are hidden where they do not fit", () => {
  const proposed = placed(2, 3, "old\n", "a\nb\n", "proposed");
  assert.equal(hiddenLines(proposed), 2);
  assert.deepEqual(marksOf(proposed, LINES).ghosts, [{ line: 2, text: "a", lines: 2, side: "added" }]);
});

test("the place on the other side counts what stands above it there", () => {
  const store = new HunkStore();
  store.replace(
    message([
      hunk(1, 3, "a\n", "b\nc\n"),
      hunk(6, 6, "gone\ngone\n", ""),
      hunk(8, 9, "x\n", "y\nz\n", { state: "proposed" }),
      hunk(12, 13, "old\n", "new\n"),
    ]),
  );
  const hunks = store.file(FILE)!.hunks;
  assert.equal(lineOnOtherSide(hunks, hunks[3]!), 12 - 1 + 2, "a proposal is not in the original's way");
  assert.equal(lineOnOtherSide(hunks, hunks[2]!), 8);
});

test("a hunk is found by its name, and not by a stale one", () => {
  const store = new HunkStore();
  store.replace(message([hunk(1, 2, "a\n", "b\n")], { revision: 4 }));
  assert.equal(store.named({ uri: FILE, revision: 4, index: 0 })?.first, 1);
  assert.equal(store.named({ uri: FILE, revision: 3, index: 0 }), undefined);
});
