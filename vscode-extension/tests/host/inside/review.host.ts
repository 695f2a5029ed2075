// The review by its commands, on real documents, with every byte looked at afterwards.
import assert from "node:assert/strict";
import * as vscode from "vscode";
import { lines, TASKS } from "../script";
import { test } from "./suite";
import { becomes, here, hunkLines, onDisk, open, run, select, tells, uriOf, works } from "./window";

test("hunks are walked and decided one by one, and the text is exactly that", async () => {
  const editor = await open("decide.ts");
  await works(TASKS.decide);
  await becomes(() => hunkLines("decide.ts"), [1, 5, 9]);
  assert.equal(editor.document.getText(), lines("decide", [1, 5, 9]));

  await run("nextHunk");
  await becomes(here, ["decide.ts", 1]);
  await run("keepHunk");
  await becomes(() => hunkLines("decide.ts"), [5, 9]);
  await run("nextHunk");
  await becomes(here, ["decide.ts", 5]);
  await run("rejectHunk");
  await becomes(() => hunkLines("decide.ts"), [9]);
  await becomes(() => editor.document.getText(), lines("decide", [1, 9]));
  select(editor, 11);
  await run("previousHunk");
  await becomes(here, ["decide.ts", 9]);
  await run("keepFile");
  await becomes(() => hunkLines("decide.ts"), []);
  assert.equal(editor.document.getText(), lines("decide", [1, 9]));
  await editor.document.save();
  assert.equal(await onDisk("decide.ts"), lines("decide", [1, 9]));
});

test("next leads on to the next file, and from the last one to the first", async () => {
  await open("ahead/a.ts");
  await works(TASKS.ahead);
  await becomes(() => hunkLines("ahead/a.ts"), [1]);
  assert.equal(vscode.window.tabGroups.all.flatMap((group) => group.tabs).length, 1, "a tab was opened by an edit");
  await run("nextHunk");
  await becomes(here, ["ahead/a.ts", 1]);
  await run("nextHunk");
  await becomes(here, ["ahead/b.ts", 0]);
  await run("nextHunk");
  await becomes(here, ["ahead/a.ts", 1]);
  await run("previousHunk");
  await becomes(here, ["ahead/b.ts", 0]);
  await run("rejectAll");
  await becomes(() => hunkLines("ahead/b.ts"), []);
  await becomes(() => vscode.window.activeTextEditor?.document.getText(), "// one\n// two\n");
  await becomes(() => onDisk("ahead/a.ts"), "// one\n// two\n");
});

test("the original side is a document of its own, and follows each decision", async () => {
  const editor = await open("original.ts");
  await works(TASKS.original);
  await becomes(() => hunkLines("original.ts"), [1, 5, 9]);
  await run("openOriginal");
  const diff = await becomesDiff();
  assert.equal(diff.original.scheme, "pollux-original");
  assert.equal(diff.modified.toString(), uriOf("original.ts").toString());
  const original = await vscode.workspace.openTextDocument(diff.original);
  assert.equal(original.getText(), lines("original", []));
  assert.equal(original.languageId, editor.document.languageId);

  select(await open("original.ts"), 5);
  await run("keepHunk");
  await becomes(() => original.getText(), lines("original", [5]));
  assert.equal(editor.document.getText(), lines("original", [1, 5, 9]));
});

async function becomesDiff(): Promise<vscode.TabInputTextDiff> {
  const input = (): unknown => vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  await becomes(() => input() instanceof vscode.TabInputTextDiff, true);
  return input() as vscode.TabInputTextDiff;
}

test("a decision is undone and done again, and the text goes along", async () => {
  const editor = await open("undo.ts");
  await works(TASKS.undo);
  await becomes(() => hunkLines("undo.ts"), [1, 5, 9]);
  await run("rejectFile");
  await becomes(() => editor.document.getText(), lines("undo", []));
  await run("undoDecision");
  await becomes(() => editor.document.getText(), lines("undo", [1, 5, 9]));
  await becomes(() => hunkLines("undo.ts"), [1, 5, 9]);
  await run("redoDecision");
  await becomes(() => editor.document.getText(), lines("undo", []));
  await becomes(() => hunkLines("undo.ts"), []);
});

test("a cursor beside all hunks decides nothing, and says so", async () => {
  const editor = await open("lenses.ts");
  await works(TASKS.lenses);
  await becomes(() => hunkLines("lenses.ts"), [1, 5, 9]);
  select(editor, 3);
  await tells(/There is no change of the agent in this line/, () => run("rejectHunk"));
  assert.equal(editor.document.getText(), lines("lenses", [1, 5, 9]));

  const settings = vscode.workspace.getConfiguration("pollux");
  await settings.update("review.codeLens", false, vscode.ConfigurationTarget.Global);
  try {
    await becomes(() => hunkLines("lenses.ts"), []);
  } finally {
    await settings.update("review.codeLens", undefined, vscode.ConfigurationTarget.Global);
  }
  await becomes(() => hunkLines("lenses.ts"), [1, 5, 9]);
});
