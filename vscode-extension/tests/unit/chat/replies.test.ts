import assert from "node:assert/strict";
import { test } from "node:test";
import type { UserQuestion } from "../../../src/protocol";
import { isComplete, repliesOf, shownReply } from "../../../webview/words/replies";

const asked = (more: Partial<UserQuestion>): UserQuestion => ({ text: "?", header: "", answer: { kind: "text" }, optional: false, ...more });

test("what stands there already counts until somebody changes it", () => {
  const form = [asked({ default: "Ann" }), asked({ default: "3", optional: true })];
  assert.equal(shownReply(form[0]!, 0, {}), "Ann");
  assert.ok(isComplete(form, {}));
  assert.deepEqual(repliesOf(form, {}), { 0: "Ann", 1: "3" });
  assert.deepEqual(repliesOf(form, { 0: "Bea" }), { 0: "Bea", 1: "3" });
});

test("what is taken out is said, and what was never there is not", () => {
  const form = [asked({ default: "Ann", optional: true }), asked({ optional: true })];
  assert.ok(isComplete(form, { 0: "" }));
  assert.deepEqual(repliesOf(form, { 0: "" }), { 0: "" });
});

test("only what wants an answer is waited for", () => {
  const form = [asked({}), asked({ optional: true }), asked({ default: "Ann" })];
  assert.ok(!isComplete(form, {}));
  assert.ok(!isComplete(form, { 0: " " }));
  assert.ok(isComplete(form, { 0: "so" }));
  assert.ok(!isComplete(form, { 0: "so", 2: "" }));
  assert.deepEqual(repliesOf(form, { 0: "so" }), { 0: "so", 2: "Ann" });
});
