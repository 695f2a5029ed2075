import assert from "node:assert/strict";
import { test } from "node:test";
import { mentionOf } from "../../../src/chat/completions";
import { replaced, triggerAt } from "../../../webview/composer/trigger";

function at(marked: string) {
  const cursor = marked.indexOf("|");
  return triggerAt(marked.replace("|", ""), cursor);
}

test("a slash asks for commands only at the very start", () => {
  assert.deepEqual(at("/he|"), { trigger: "/", query: "he", from: 0, to: 3 });
  assert.equal(at("see /usr|"), undefined);
  assert.equal(at("/help me|"), undefined);
});

test("an @ asks for files where a word begins", () => {
  assert.deepEqual(at("look at @src/up|"), { trigger: "@", query: "src/up", from: 8, to: 15 });
  assert.equal(at("me@example|"), undefined);
  assert.deepEqual(at("@my\\ fi|"), { trigger: "@", query: "my fi", from: 0, to: 7 });
});

test("taking a suggestion replaces the word and goes on behind it", () => {
  const trigger = triggerAt("look at @up please", 11);
  assert.ok(trigger);
  assert.deepEqual(replaced("look at @up please", trigger, mentionOf("src/up load.rs")), {
    text: "look at @src/up\\ load.rs please",
    cursor: 25,
  });
});
