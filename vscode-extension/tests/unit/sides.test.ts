import assert from "node:assert/strict";
import { test } from "node:test";
import { HunkStore, type PlacedHunk } from "../../src/review/hunks";
import { originalText, proposedText } from "../../src/review/sides";
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
