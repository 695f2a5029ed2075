import assert from "node:assert/strict";
import { test } from "node:test";
import { changedWords } from "../../src/review/words";

test("only the words that differ are marked", () => {
  const { old, new: fresh } = changedWords("let count = first(x);", "let total = first(x, y);");
  assert.deepEqual(old, [[4, 9]]);
  assert.deepEqual(fresh, [
    [4, 9],
    [19, 22],
  ]);
});

test("lines with little in common have no words to mark", () => {
  assert.deepEqual(changedWords("return early", "for item of list {}"), { old: [], new: [] });
});

test("letters outside of ASCII stay whole", () => {
  assert.deepEqual(changedWords("grüße an alle hier", "grüße an jeden hier").new, [[9, 14]]);
});

test("a line of data is not searched", () => {
  assert.deepEqual(changedWords("a ".repeat(600), "b ".repeat(600)), { old: [], new: [] });
});
