import assert from "node:assert/strict";
import { test } from "node:test";
import { contributes } from "../../package.json";
import { Keys } from "../../src/review/keys";

test("a key is written as it stands on the keyboard of the person", () => {
  const keys = new Keys(contributes.keybindings, "other");
  assert.equal(keys.named("Keep", "pollux.keepHunk"), "Keep Alt+Y");
  assert.equal(keys.of("pollux.previousHunk"), "Alt+Shift+F5");
  assert.equal(keys.named("Send", "pollux.sendComments"), "Send", "a command without a key has a name only");
  let told = 0;
  keys.watch(() => (told += 1));
  keys.sitAt("mac");
  keys.sitAt("mac");
  assert.equal(told, 1);
  assert.equal(keys.of("pollux.keepHunk"), "⌥⌘Y");
  assert.equal(keys.of("pollux.keepFile"), "⌥⇧⌘Y");
  assert.equal(keys.of("pollux.nextHunk"), "⌥F5");
});
