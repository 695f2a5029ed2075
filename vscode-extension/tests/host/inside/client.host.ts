// What the language client tells the server, and that it tells it again to the next one.
import assert from "node:assert/strict";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import * as vscode from "vscode";
import type { EditorStateParams } from "../../../src/protocol";
import { processesOf, required } from "../../e2e/processes";
import { clientSaid, recorded, starts } from "../record";
import { lines, TASKS } from "../script";
import { test } from "./suite";
import { becomes, hunkLines, onDisk, open, run, select, until, uriOf, works } from "./window";

const states = (from = 0): EditorStateParams[] => clientSaid("pollux/editorState", from) as EditorStateParams[];

test("the server is told what this client can do, and that the folder is trusted", async () => {
  const [greeting] = clientSaid("initialize") as { capabilities: { experimental: unknown } }[];
  const queries = ["definition", "references", "rename"];
  const able = { hunks: true, save: true, resync: true, approvals: true, companion: true, asides: true, queries };
  assert.deepEqual(greeting?.capabilities.experimental, { pollux: able });
  const first = await until(() => states()[0], Boolean, "no state of the editor was told");
  assert.equal(vscode.workspace.isTrusted, true);
  assert.equal(first?.trusted, true);
});

test("the editor's state is told when it changes, and only what has changed", async () => {
  const editor = await open("notes.md");
  const uri = uriOf("notes.md").toString();
  select(editor, 2);
  const line = (): number | undefined => states().findLast((state) => state.activeFile)?.activeFile?.cursor.line;
  await becomes(line, 2);

  const problems = vscode.languages.createDiagnosticCollection("host-tests");
  const problem = (): vscode.Diagnostic => new vscode.Diagnostic(new vscode.Range(0, 0, 0, 1), "wrong", vscode.DiagnosticSeverity.Warning);
  try {
    problems.set(editor.document.uri, [problem()]);
    await becomes(() => states().findLast((state) => state.diagnostics)?.diagnostics, [{ uri, warnings: 1 }]);
    const before = recorded().length;
    // The same again is nothing new, and neither is a cursor that stays.
    problems.set(editor.document.uri, [problem()]);
    select(editor, 2);
    select(editor, 3);
    await becomes(line, 3);
    assert.ok(states(before).every((state) => state.diagnostics === undefined && state.trusted === undefined));
  } finally {
    problems.dispose();
  }
  await becomes(() => states().findLast((state) => state.diagnostics)?.diagnostics, []);
});

test("nothing is told twice to the same server", () => {
  const told = new Map<string, string>();
  for (const entry of recorded()) {
    if (entry.kind === "started") told.clear();
    const message = entry.kind === "client" && "method" in entry.message ? entry.message : undefined;
    if (message?.method !== "pollux/editorState" || !("params" in message)) continue;
    const fields = Object.entries(message.params as Record<string, unknown>);
    assert.ok(fields.length > 0, "a message that says nothing");
    for (const [field, value] of fields) {
      const text = JSON.stringify(value);
      assert.notEqual(text, told.get(field), `${field} was told again`);
      told.set(field, text);
    }
  }
  return Promise.resolve();
});

test("a setting reaches the server while it runs", async () => {
  const settings = vscode.workspace.getConfiguration("pollux");
  const traces = (): unknown => clientSaid("$/setTrace").at(-1);
  await vscode.commands.executeCommand("_extensionTests.setLogLevel", "trace");
  try {
    await becomes(traces, { value: "messages" });
    await settings.update("trace.server", "verbose", vscode.ConfigurationTarget.Global);
    await becomes(traces, { value: "verbose" });
  } finally {
    await settings.update("trace.server", undefined, vscode.ConfigurationTarget.Global);
    await vscode.commands.executeCommand("_extensionTests.setLogLevel", "info");
  }
  await becomes(traces, { value: "off" });
});

test("another program takes the place of the first one as soon as it is chosen", async () => {
  const settings = vscode.workspace.getConfiguration("pollux");
  const before = settings.get<string>("server.path", "");
  const other = join(required("POLLUX_PLACE"), "other");
  copyFileSync(before, other);
  const program = (): string | undefined => starts().at(-1)?.program;
  try {
    await settings.update("server.path", other, vscode.ConfigurationTarget.Global);
    await becomes(program, other);
  } finally {
    await settings.update("server.path", before, vscode.ConfigurationTarget.Global);
  }
  await becomes(program, before);
  await ready();
});

test("a server that is killed is started again, and knows everything again", async () => {
  await open("killed.ts");
  await works(TASKS.killed);
  await becomes(() => hunkLines("killed.ts"), [1, 5, 9]);
  // An end between an edit and its save is another story.
  await becomes(() => onDisk("killed.ts"), lines("killed", [1, 5, 9]));
  const old = starts().at(-1)!;
  const before = recorded().length;
  process.kill(old.pid, "SIGKILL");
  await until(() => starts().at(-1)!.pid, (pid) => pid !== old.pid, "no other server was started");
  const opened = (): string[] =>
    clientSaid("textDocument/didOpen", before).map((params) => (params as { textDocument: { text: string } }).textDocument.text);
  await until(opened, (texts) => texts.includes(lines("killed", [1, 5, 9])), "the open file was not told to the next one");
  const state = await until(() => states(before)[0], Boolean, "the next one was not told the editor's state");
  assert.equal(state?.trusted, true);
  assert.equal(state.activeFile?.uri, uriOf("killed.ts").toString());
  await becomes(() => hunkLines("killed.ts"), [1, 5, 9]);
  await run("rejectAll");
  await becomes(() => hunkLines("killed.ts"), []);
  await becomes(() => onDisk("killed.ts"), lines("killed", []));
});

test("a host that is killed is replaced behind the door, and the hunks are there again", async () => {
  await open("lost.ts");
  await works(TASKS.lost);
  await becomes(() => hunkLines("lost.ts"), [1, 5, 9]);
  // An end between an edit and its save is another story.
  await becomes(() => onDisk("lost.ts"), lines("lost", [1, 5, 9]));
  const doors = starts().length;
  const hosts = processesOf("host", required("POLLUX_PLACE"));
  assert.equal(hosts.length, 1);
  for (const host of hosts) process.kill(host, "SIGKILL");
  const isNew = (pids: number[]): boolean => pids.some((pid) => !hosts.includes(pid));
  await until(() => processesOf("host", required("POLLUX_PLACE")), isNew, "no other host was started");
  await becomes(() => hunkLines("lost.ts"), [1, 5, 9]);
  await run("keepAll");
  await becomes(() => hunkLines("lost.ts"), []);
  await becomes(() => onDisk("lost.ts"), lines("lost", [1, 5, 9]));
  assert.equal(starts().length, doors, "the door was started anew");
});

test("starting the server again is an order that a person can give", async () => {
  const before = recorded().length;
  await run("restartServer");
  const ended = (): boolean => recorded().slice(before).some((line) => line.kind === "ended");
  await until(ended, Boolean, "the old one did not end");
  assert.equal(clientSaid("shutdown", before).length, 1, "it was not asked to end");
  await ready();
});

/** Until the last server that was started has answered. */
async function ready(): Promise<void> {
  const isThere = (): boolean => {
    const all = recorded();
    const last = all.findLastIndex((line) => line.kind === "started");
    return all.slice(last).some((line) => line.kind === "server" && "result" in line.message);
  };
  await until(isThere, Boolean, "the server does not answer");
}
