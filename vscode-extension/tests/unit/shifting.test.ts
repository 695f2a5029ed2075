import assert from "node:assert/strict";
import { test } from "node:test";
import { shifted, type TextChange } from "../../src/review/shifting";

const span = { first: 5, last: 8 };

function change(startLine: number, endLine: number, addedLines: number, endsAtLineStart = false): TextChange {
  return { startLine, endLine, addedLines, endsAtLineStart };
}

const cases: [string, TextChange, [number, number]][] = [
  ["a line typed above", change(2, 2, 1), [6, 9]],
  ["lines removed above", change(1, 3, 0, true), [3, 6]],
  ["lines removed up to the first one", change(3, 5, 0, true), [3, 6]],
  ["a line put right before the first one", change(5, 5, 1, true), [6, 9]],
  ["a letter at the start of the first line", change(5, 5, 0, true), [5, 8]],
  ["a line typed inside", change(6, 6, 1), [5, 9]],
  ["a line removed inside", change(6, 7, 0, true), [5, 7]],
  ["something below", change(8, 8, 3), [5, 8]],
  ["everything around it replaced", change(3, 10, 1), [3, 5]],
  ["everything around it removed", change(3, 10, 0), [3, 4]],
];

for (const [name, edit, expected] of cases) {
  test(name, () => {
    const { first, last } = shifted(span, edit);
    assert.deepEqual([first, last], expected);
  });
}

test("a gap moves with the line behind it", () => {
  assert.deepEqual(shifted({ first: 5, last: 5 }, change(2, 2, 2)), { first: 7, last: 7 });
  assert.deepEqual(shifted({ first: 5, last: 5 }, change(5, 5, 1)), { first: 5, last: 5 });
});
