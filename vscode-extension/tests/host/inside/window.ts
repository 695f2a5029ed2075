// The window that the tests run in, and waiting for what happens in it.
import assert from "node:assert/strict";
import { join } from "node:path";
import * as vscode from "vscode";
import { Door } from "../../e2e/door";
import { PATIENCE_MS, required } from "../../e2e/processes";
import type { Task } from "../script";

const doors: Door[] = [];

/** As if nothing had been done in it. */
export async function clear(): Promise<void> {
  for (const door of doors.splice(0)) await door.close();
  await vscode.commands.executeCommand("workbench.action.closeAllEditors");
  await vscode.commands.executeCommand("pollux.keepAll");
}

/**
 * Looks until it holds. What was seen last is the error. A look may fail: the workbench cancels a question about lenses
 * when they change meanwhile.
 */
export async function until<T>(look: () => T | PromiseLike<T>, holds: (seen: T) => boolean, what: string): Promise<T> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    let last: string;
    try {
      const seen = await look();
      if (holds(seen)) return seen;
      last = JSON.stringify(seen);
    } catch (error) {
      last = String(error);
    }
    if (Date.now() > deadline) throw new Error(`${what}; seen last: ${last}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Looks until it is equal; the difference is the error. */
export async function becomes<T>(look: () => T | PromiseLike<T>, wanted: T): Promise<void> {
  const text = JSON.stringify(wanted);
  let seen: T | undefined;
  const isEqual = (now: T): boolean => JSON.stringify((seen = now)) === text;
  await until(look, isEqual, `it did not become ${text}`).catch((error: unknown) => {
    assert.deepEqual(seen, wanted);
    throw error;
  });
}

export function folder(): string {
  return join(required("POLLUX_PLACE"), "project");
}

export function uriOf(name: string): vscode.Uri {
  return vscode.Uri.file(join(folder(), name));
}

export async function open(name: string): Promise<vscode.TextEditor> {
  return vscode.window.showTextDocument(uriOf(name));
}

export function select(editor: vscode.TextEditor, line: number): void {
  editor.selection = new vscode.Selection(line, 0, line, 0);
}

/** Where the cursor is: file and line. */
export function here(): [string, number] | undefined {
  const editor = vscode.window.activeTextEditor;
  return editor && [vscode.workspace.asRelativePath(editor.document.uri), editor.selection.active.line];
}

export function run(command: string, ...rest: unknown[]): Thenable<unknown> {
  return vscode.commands.executeCommand(`pollux.${command}`, ...rest);
}

/** The agent works at a task to its end, as if asked from another window. */
export async function works({ asks }: Task): Promise<void> {
  const door = await Door.open(folder(), process.env as Record<string, string>);
  doors.push(door);
  for (const { uri } of vscode.workspace.textDocuments) {
    if (uri.scheme === "file") await door.seesOpen(uri.toString());
  }
  await door.prompt(asks);
  await door.turnEnd();
}

/** The lines that have a lens to keep what stands there. */
export async function hunkLines(name: string): Promise<number[]> {
  const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>("vscode.executeCodeLensProvider", uriOf(name), 100);
  return lenses.filter((lens) => lens.command?.command === "pollux.keepHunk").map((lens) => lens.range.start.line);
}

export async function onDisk(name: string): Promise<string> {
  return Buffer.from(await vscode.workspace.fs.readFile(uriOf(name))).toString("utf8");
}

/** Everything that the window has told a person so far. */
export async function said(): Promise<string[]> {
  const answer = await fetch(`${required("POLLUX_EAR")}/said`);
  return (await answer.json()) as string[];
}

/** Waits for words that are told after `act`. */
export async function tells(words: RegExp, act: () => PromiseLike<unknown>): Promise<void> {
  covers += 1;
  const cover = `cover ${covers}`;
  // What stands there from before would not be told again if it is the same.
  const covered = vscode.window.setStatusBarMessage(cover);
  const before = await until(said, (all) => all.includes(cover), "the status bar is not shown");
  await act();
  const fits = (all: string[]): boolean => all.slice(before.length).some((text) => words.test(text));
  await until(said, fits, `nothing was told like ${String(words)}`);
  covered.dispose();
}

let covers = 0;

/** How many of these the window shows. */
export async function shown(selector: string): Promise<number> {
  const answer = await fetch(`${required("POLLUX_EAR")}/shown?${encodeURIComponent(selector)}`);
  return (await answer.json()) as number;
}

/** The addresses of the windows that were opened besides this one. */
export async function windows(): Promise<string[]> {
  const answer = await fetch(`${required("POLLUX_EAR")}/windows`);
  return (await answer.json()) as string[];
}
