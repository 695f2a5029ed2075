// Taking a person to a place, which happens only when they ask for it.
import * as vscode from "vscode";
import type { HunkStore, PlacedHunk } from "./hunks";
import { countLines } from "./lines";
import { hunksOf, ORIGINAL, otherSide, PROPOSED } from "./originals";
import type { TurnName } from "./review";
import { lineOnOtherSide } from "./sides";

export async function showLine(uri: string, line: number, preserveFocus = false): Promise<void> {
  const at = new vscode.Position(line, 0);
  const editor = await vscode.window.showTextDocument(vscode.Uri.parse(uri), { preserveFocus });
  const place = editor.document.validatePosition(at);
  editor.selection = new vscode.Selection(place, place);
  editor.revealRange(new vscode.Range(place, place), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}

/** What the agent wants to change is shown on the right, whether it is in the file already or not. */
export async function compareFile(store: HunkStore, uri: string, line?: number): Promise<void> {
  const [left, right] = sidesOf(store, uri);
  const title = vscode.l10n.t("{0} (Pollux)", vscode.workspace.asRelativePath(vscode.Uri.parse(uri)));
  const options: vscode.TextDocumentShowOptions =
    line === undefined ? {} : { selection: new vscode.Range(line, 0, line, 0) };
  await vscode.commands.executeCommand("vscode.diff", left, right, title, options);
}

/** The lines that are not in the text, in a window between those that are. */
export async function peekHunk(store: HunkStore, placed: PlacedHunk): Promise<void> {
  const { uri, hunk, first } = placed;
  const pending = hunk.state === "pending";
  const line = lineOnOtherSide(store.file(uri)?.hunks ?? [], placed);
  const height = countLines(pending ? hunk.removed : hunk.added);
  const there = new vscode.Location(otherSide(pending ? ORIGINAL : PROPOSED, uri), new vscode.Range(line, 0, line + Math.max(height - 1, 0), Number.MAX_SAFE_INTEGER));
  await showLine(uri, first);
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) return;
  await vscode.commands.executeCommand("editor.action.peekLocations", editor.document.uri, editor.selection.active, [there], "peek");
}

/** Everything that is pending, or what one turn left of it, in one editor. */
export async function compareAll(store: HunkStore, turn?: TurnName): Promise<number> {
  const files = store.files.filter((file) => hunksOf(store, file.uri, turn).length > 0);
  if (files.length === 0) return 0;
  const title =
    turn === undefined ? vscode.l10n.t("Pollux: all pending changes") : vscode.l10n.t("Pollux: turn {0}", turn.turn);
  const resources = files.map((file) => [vscode.Uri.parse(file.uri), ...sidesOf(store, file.uri, turn)]);
  await vscode.commands.executeCommand("vscode.changes", title, resources);
  return files.length;
}

function sidesOf(store: HunkStore, uri: string, turn?: TurnName): [vscode.Uri, vscode.Uri] {
  const file = vscode.Uri.parse(uri);
  const isProposed = hunksOf(store, uri, turn).some(({ hunk }) => hunk.state !== "pending");
  return isProposed ? [file, otherSide(PROPOSED, uri, turn)] : [otherSide(ORIGINAL, uri, turn), file];
}

/** The hunk that the cursor is in. */
export function hunkUnderCursor(store: HunkStore): PlacedHunk | undefined {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) return undefined;
  return store.at(editor.document.uri.toString(), editor.selection.active.line, editor.document.lineCount);
}
