import assert from "node:assert/strict";
import { test } from "node:test";
import type { UserQuestion } from "../../../src/protocol";
import { chosenIn, isComplete, repliesOf, shownReply, toggled } from "../../../webview/words/replies";

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

test("a label with commas is one choice, whatever stands beside it", () => {
  const form = [asked({ default: ["Paris, Texas", "Rome"], answer: { kind: "choice", several: true, options: [] } })];
  const stands = shownReply(form[0]!, 0, {});
  assert.deepEqual(chosenIn(stands), ["Paris, Texas", "Rome"]);
  assert.deepEqual(repliesOf(form, {}), { 0: ["Paris, Texas", "Rome"] });
  assert.deepEqual(toggled(stands, "Paris, Texas"), ["Rome"]);
  assert.deepEqual(toggled("", "Paris, Texas"), ["Paris, Texas"]);
  assert.deepEqual(repliesOf(form, { 0: toggled(stands, "Paris") }), { 0: ["Paris, Texas", "Rome", "Paris"] });
});

test("several choices that are all switched off are no answer", () => {
  const form = [asked({ default: ["Rome"], answer: { kind: "choice", several: true, options: [] } })];
  assert.ok(!isComplete(form, { 0: [] }));
  const optional = [asked({ default: ["Rome"], optional: true }), asked({ optional: true })];
  assert.ok(isComplete(optional, { 0: [], 1: [] }));
  assert.deepEqual(repliesOf(optional, { 0: [], 1: [] }), { 0: [] });
});
