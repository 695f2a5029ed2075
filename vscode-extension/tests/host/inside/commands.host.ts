// Each command in a window where nothing is open and nothing waits: it does what it says, or says why not.
import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import * as vscode from "vscode";
import { required } from "../../e2e/processes";
import { recorded } from "../record";
import { test } from "./suite";
import { becomes, run, shown, tells, until, windows } from "./window";

const NOT_HERE = /There is no change of the agent in this line/;
const NO_FILE = /No file is open/;
const NOTHING_LEFT = /Nothing is left to review/;
const NO_TURN = /There is no turn yet/;

/** What a person is told by those that have nothing to work on. */
const ANSWERS: Record<string, RegExp> = {
  keepHunk: NOT_HERE,
  rejectHunk: NOT_HERE,
  keepMine: NOT_HERE,
  takeTheirs: NOT_HERE,
  commentHunk: NOT_HERE,
  peekHunk: NOT_HERE,
  keepFile: NO_FILE,
  rejectFile: NO_FILE,
  openOriginal: NO_FILE,
  nextHunk: NOTHING_LEFT,
  previousHunk: NOTHING_LEFT,
  reviewAll: NOTHING_LEFT,
  keepAll: /Nothing is pending there/,
  rejectAll: /Nothing is pending there/,
  undoDecision: /nothing to undo/,
  redoDecision: /nothing to redo/,
  sendComments: /There is no session to send the comments to/,
  undoTurn: NO_TURN,
  redoTurn: NO_TURN,
  reviewTurn: NO_TURN,
  showHunk: /Choose a change in the list/,
  applyAgain: /Nothing is rejected/,
  keepDraft: /No proposed text is open/,
  addComment: /Write the comment beside a change first/,
  removeComment: /Choose the comment to remove/,
  stop: /Nothing runs/,
  fixServer: /Pollux runs/,
};

for (const [command, words] of Object.entries(ANSWERS)) {
  test(`${command} says that there is nothing to do it to`, () => tells(words, () => run(command)));
}

/** The chat, wherever this version has it. */
const CHAT = 'iframe.webview[src*="extensionId=pollux.pollux"]';
const TO_THE_CHAT = ["focusChat", "newSession", "showSessions", "answer"];

for (const command of TO_THE_CHAT) {
  test(`${command} brings the chat into view`, async () => {
    await vscode.commands.executeCommand("workbench.action.closeAuxiliaryBar");
    await vscode.commands.executeCommand("workbench.action.closeSidebar");
    await becomes(() => shown(CHAT), 0);
    await run(command);
    await becomes(() => shown(CHAT), 1);
  });
}

test("showLog shows the log", async () => {
  await run("showLog");
  const texts = (): string[] => vscode.window.visibleTextEditors.map(({ document }) => document.getText());
  await until(texts, (all) => all.some((text) => text.includes("starting ")), "the log is not shown");
  await vscode.commands.executeCommand("workbench.action.closePanel");
});

test("openWalkthrough shows the first steps", async () => {
  await run("openWalkthrough");
  await becomes(() => shown(".gettingStartedContainer"), 1);
});

test("openSettings shows the settings of the extension", async () => {
  await run("openSettings");
  await becomes(() => shown(".settings-editor"), 1);
});

test("openSample opens a fresh copy of the sample project in another window", async () => {
  const samples = join(required("POLLUX_PLACE"), "data/User/globalStorage/pollux.pollux/samples");
  void run("openSample");
  const opened = await until(windows, (all) => all.length > 0, "no window was opened");
  const [copy = ""] = readdirSync(samples);
  assert.ok(existsSync(join(samples, copy, "Cargo.toml")));
  assert.deepEqual(opened.map((url) => url.includes(copy)), [true]);
});

test("restartServer starts another one", async () => {
  const before = recorded().length;
  await run("restartServer");
  const kinds = (): string[] => recorded().slice(before).map((line) => line.kind);
  await until(kinds, (all) => all.includes("ended") && all.includes("started"), "no other one was started");
});

test("every command of the manifest is tried here", () => {
  const manifest = vscode.extensions.getExtension("pollux.pollux")?.packageJSON as { contributes: { commands: { command: string }[] } };
  const tried = [...Object.keys(ANSWERS), ...TO_THE_CHAT, "showLog", "openWalkthrough", "openSettings", "openSample", "restartServer"];
  const promised = manifest.contributes.commands.map(({ command }) => command);
  assert.deepEqual(promised.toSorted(), tried.map((name) => `pollux.${name}`).toSorted());
  return Promise.resolve();
});
