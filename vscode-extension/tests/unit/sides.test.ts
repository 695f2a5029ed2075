import assert from "node:assert/strict";
import { test } from "node:test";
import { HunkStore, type PlacedHunk } from "../../src/review/hunks";
import { hasMixedLineEnds, originalText, placeInFile, proposedText } from "../../src/review/sides";
import type { PendingHunk } from "../../src/protocol";
import { FILE, hunk, message } from "./samples";

function placed(hunks: PendingHunk[]): readonly PlacedHunk[] {
  const store = new HunkStore();
  store.replace(message(hunks));
  return store.file(FILE)?.hunks ?? [];
}

test("taking out every hunk gives the text below them", () => {
  const hunks = placed([hunk(0, 1, "one\n", "ONE\n"), hunk(2, 2, "gone\n", ""), hunk(3, 4, "", "new")]);
  assert.equal(originalText("ONE\ntwo\nthree\nnew", hunks), "one\ntwo\ngone\nthree\n");
});

test("line ends stay as they are", () => {
  const hunks = placed([hunk(1, 2, "b\r\n", "B\r\n")]);
  assert.equal(originalText("a\r\nB\r\nc\r\n", hunks), "a\r\nb\r\nc\r\n");
});

test("what is only proposed is not in the text, and is put there on the other side", () => {
  const hunks = placed([hunk(1, 2, "b\n", "B\n", { state: "proposed" })]);
  assert.equal(originalText("a\nb\n", hunks), "a\nb\n");
  assert.equal(proposedText("a\nb\n", hunks), "a\nB\n");
});

test("a line of a side is found in the file again, with its hunk", () => {
  const hunks = placed([
    hunk(1, 2, "b\n", "B1\nB2\n", { state: "proposed" }),
    hunk(3, 4, "old\n", "new\n"),
    hunk(4, 5, "e\n", "", { state: "proposed" }),
  ]);
  const proposed = ["a", "B1", "B2", "c", "new", "f", ""];
  const seen = proposed.map((_, line) => {
    const { line: inFile, placed: found } = placeInFile("proposed", hunks, line, proposed.length);
    return [inFile, found?.position];
  });
  assert.deepEqual(seen, [[0, undefined], [1, 1], [1, 1], [2, undefined], [3, 2], [4, 3], [6, undefined]]);
});

test("a file that was removed is its original, and all of it is the hunk", () => {
  const hunks = placed([hunk(0, 0, "a\nb\n", "")]);
  assert.deepEqual([0, 1, 2].map((line) => placeInFile("original", hunks, line, 3).placed?.position), [1, 1, undefined]);
});

test("lines that are to go at the end belong to the last line that stays", () => {
  const hunks = placed([hunk(2, 3, "c\n", "", { state: "proposed" })]);
  assert.equal(placeInFile("proposed", hunks, 1, 2).placed, hunks[0]);
  assert.equal(placeInFile("proposed", hunks, 0, 2).placed, undefined);
});

test("a text is known to have line ends of two kinds", () => {
  assert.deepEqual(["a\nb\n", "a\r\nb\r\n", "a\r\nb\n", "\na\r\n"].map(hasMixedLineEnds), [false, false, true, true]);
});
