import assert from "node:assert/strict";
import { test } from "node:test";
import { HunkStore } from "../../src/review/hunks";
import type { TextChange } from "../../src/review/shifting";
import { FILE, hunk, message } from "./samples";

const lineAbove: TextChange = { startLine: 0, endLine: 0, endsAtLineStart: true, addedLines: 1 };

function spans(store: HunkStore): [number, number][] {
  return (store.file(FILE)?.hunks ?? []).map(({ first, last }) => [first, last]);
}

test("a message replaces everything known of its file", () => {
  const store = new HunkStore();
  store.replace(message([hunk(1, 2, "a\n", "b\n"), hunk(5, 7, "", "c\nd\n")]));
  store.replace(message([hunk(5, 7, "", "c\nd\n")], { revision: 2 }));
  assert.deepEqual(spans(store), [[5, 7]]);
  assert.equal(store.file(FILE)?.added, 2);
  assert.equal(store.count, 1);
});

test("an empty message forgets the file, and is told only if there was something", () => {
  const store = new HunkStore();
  const told: string[] = [];
  store.watch((uri) => told.push(uri));
  store.replace(message([]));
  store.replace(message([hunk(1, 2, "", "b\n")]));
  store.replace(message([]));
  assert.deepEqual(told, [FILE, FILE]);
  assert.deepEqual(store.files, []);
});

test("hunks move along with what is typed above them", () => {
  const store = new HunkStore();
  store.replace(message([hunk(3, 5, "", "x\ny\n")]));
  store.edited(FILE, 2, [lineAbove]);
  assert.deepEqual(spans(store), [[4, 6]]);
});

test("a message about an older text is moved by what was typed since", () => {
  const store = new HunkStore();
  store.edited(FILE, 2, [lineAbove]);
  store.edited(FILE, 3, [lineAbove]);
  store.replace(message([hunk(3, 5, "", "x\ny\n")], { version: 2 }));
  assert.deepEqual(spans(store), [[4, 6]]);
});

test("what the server has seen is not counted twice", () => {
  const store = new HunkStore();
  store.edited(FILE, 2, [lineAbove]);
  store.replace(message([hunk(4, 6, "", "x\ny\n")], { version: 2 }));
  store.replace(message([hunk(4, 6, "", "x\ny\n")], { version: 2, revision: 2 }));
  assert.deepEqual(spans(store), [[4, 6]]);
});

test("a gap belongs to the line behind it, and at the end of the text to the last line", () => {
  const store = new HunkStore();
  store.replace(message([hunk(2, 2, "gone\n", ""), hunk(9, 9, "gone\n", "")]));
  assert.equal(store.at(FILE, 2, 9)?.position, 1);
  assert.equal(store.at(FILE, 1, 9), undefined);
  assert.equal(store.at(FILE, 8, 9)?.position, 2);
});

test("a hunk is found again by its texts, the nearest first", () => {
  const store = new HunkStore();
  store.replace(message([hunk(1, 2, "a\n", "b\n"), hunk(8, 9, "a\n", "b\n")]));
  const old = store.file(FILE)?.hunks[1];
  assert.ok(old);
  store.replace(message([hunk(0, 1, "a\n", "b\n"), hunk(7, 8, "a\n", "b\n")], { revision: 2 }));
  const found = store.renamed(old);
  assert.deepEqual([found?.revision, found?.hunk.index], [2, 1]);
});

test("a hunk that was typed into is the same one, and another that stands elsewhere is not", () => {
  const store = new HunkStore();
  store.replace(message([hunk(1, 2, "a\n", "b\n")]));
  const old = store.file(FILE)!.hunks[0]!;
  store.replace(message([hunk(1, 2, "a\n", "bc\n")], { revision: 2 }));
  assert.equal(store.renamed(old)?.revision, 2);
  store.replace(message([hunk(7, 8, "a\n", "bc\n")], { revision: 3 }));
  assert.equal(store.renamed(old), undefined);
  store.replace(message([hunk(1, 2, "other\n", "bc\n")], { revision: 4 }));
  assert.equal(store.renamed(old), undefined);
});

test("a hunk that is decided is not found again", () => {
  const store = new HunkStore();
  store.replace(message([hunk(1, 2, "a\n", "b\n")]));
  const old = store.file(FILE)!.hunks[0]!;
  store.replace(message([], { revision: 2 }));
  assert.equal(store.renamed(old), undefined);
});

test("when the server is gone nothing is left", () => {
  const store = new HunkStore();
  store.replace(message([hunk(1, 2, "a\n", "b\n")]));
  store.clear();
  assert.equal(store.count, 0);
});

test("a comment that is not sent yet stays when the last hunk of its file goes", () => {
  const store = new HunkStore();
  const told: string[] = [];
  store.watch((uri) => told.push(uri));
  const why = { id: 7, line: 1, text: "why?", sent: false };
  store.replace(message([hunk(1, 2, "b\n", "B\n", { comments: [why] })]));
  assert.deepEqual([store.comments(FILE), store.unsent], [[why], 1]);
  store.replace(message([], { comments: [why] }));
  assert.deepEqual([store.comments(FILE), store.unsent, store.count, store.files.length], [[why], 1, 0, 0]);
  store.replace(message([]));
  assert.deepEqual([store.comments(FILE), store.unsent], [[], 0]);
  assert.equal(told.length, 3);
  store.replace(message([]));
  assert.equal(told.length, 3, "nothing has changed");
});
