import assert from "node:assert/strict";
import { test } from "node:test";
import { contributes } from "../../package.json";
import { Keys } from "../../src/review/keys";

const MODIFIER = /^(ctrl|cmd)\+k (cmd\+)?alt\+[yn]$|^(cmd\+)?alt\+(shift\+)?(y|n|u|m|f5)$/;

test("every key waits for something to decide, leaves what is typed alone, and gives way to another agent's edits", () => {
  for (const { command, key, mac, when } of contributes.keybindings as { command: string; key: string; mac?: string; when: string }[]) {
    if (!command.startsWith("pollux.")) continue;
    const parts = when.split(" && ");
    const awaited = { "pollux.undoDecision": "pollux.canUndoDecision", "pollux.keepDraft": "pollux.hasDraft" }[command];
    assert.ok(parts.includes(awaited ?? "pollux.hasPendingHunks"), `${command}: ${when}`);
    for (const part of ["editorTextFocus", "!inSnippetMode", "!chatEdits.hasEditorModifications"]) assert.ok(parts.includes(part), `${command}: ${when}`);
    for (const keys of [key, mac ?? key]) assert.match(keys, MODIFIER);
  }
});

test("whatever a row offers as a button is in its menu as well, for whoever has no mouse", () => {
  const items = contributes.menus["view/item/context"];
  const buttons = items.filter(({ group }) => group.startsWith("inline"));
  const rows = ["file", "hunk", "conflict", "rejected"].map((kind) => `pollux.${kind}`);
  const offered = (group: RegExp, row: string): string[] =>
    items.filter((item) => group.test(item.group) && fits(item.when, row)).map(({ command }) => command);
  assert.ok(buttons.length > 0);
  for (const row of rows) {
    const inMenu = offered(/^\d/, row);
    for (const command of offered(/^inline/, row)) assert.ok(inMenu.includes(command), `${command} of ${row}`);
  }
});

/** Whether a row of this kind fits a condition of a menu. */
function fits(when: string, row: string): boolean {
  const [, operator, wanted = ""] = /viewItem (==|=~) (.*)$/.exec(when) ?? [];
  return operator === "==" ? row === wanted : new RegExp(wanted.slice(1, -1)).test(row);
}

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
