import assert from "node:assert/strict";
import { test } from "node:test";
import { parseFromView } from "../../../src/chat/parse";

test("messages of the right shape are read", () => {
  for (const message of [
    { kind: "ready" },
    { kind: "stop" },
    { kind: "answer", approval: 3, answer: { kind: "always", offer: 0, scope: "session" } },
    { kind: "answer", approval: 3, answer: { kind: "replies", replies: { "0": "SQLite" } } },
    {
      kind: "prompt",
      how: "queue",
      text: "hello",
      attachments: [{ kind: "image", mimeType: "image/png", data: "AA==", name: "a.png" }],
      context: { activeFile: true, selection: false, openFiles: true, diagnostics: false },
    },
    { kind: "retryNow" },
    { kind: "switched", switched: { activeFile: false } },
    { kind: "attachAgain", prompt: { kind: "queued", id: 2 } },
    { kind: "retry", turn: 1, text: "x", context: { activeFile: true, selection: true, openFiles: true, diagnostics: true } },
  ]) {
    assert.deepEqual(parseFromView(message), message);
  }
});

test("anything else is dropped", () => {
  for (const message of [
    undefined,
    null,
    "stop",
    [],
    {},
    { kind: "constructor" },
    { kind: "unknown" },
    { kind: "go", place: "elsewhere" },
    { kind: "attachAgain", prompt: { kind: "turn", id: 2 } },
    { kind: "answer", approval: "3", answer: { kind: "allow" } },
    { kind: "answer", approval: 3, answer: { kind: "always", offer: 0, scope: "for ever" } },
    { kind: "answer", approval: 3, answer: { kind: "replies", replies: { "0": 1 } } },
    { kind: "answer", approval: Number.NaN, answer: { kind: "allow" } },
    { kind: "decideHunks", proposal: 1, hunks: [0], decision: "maybe" },
    { kind: "prompt", how: "shout", text: "", attachments: [], context: { activeFile: true, selection: true, openFiles: true, diagnostics: true } },
    { kind: "switched", switched: { activeFile: "yes" } },
    { kind: "attached", attachments: [{ kind: "image", data: 1 }] },
  ]) {
    assert.equal(parseFromView(message), undefined);
  }
});
