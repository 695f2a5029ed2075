// Taking a person to a place, which happens only when they ask for it.
import * as vscode from "vscode";
import type { HunkStore, PlacedHunk } from "./hunks";
import { countLines } from "./lines";
import { fileBehind, hunksOf, ORIGINAL, otherSide, PROPOSED } from "./originals";
import type { TurnName } from "./review";
import { hunksOn, lineOnOtherSide, placeInFile } from "./sides";

/** Without a line, where the cursor was when the file was left. */
export async function showLine(store: HunkStore, uri: string, line?: number): Promise<void> {
  const readable = await readableAt(store, spelled(uri), line);
  const editor = await vscode.window.showTextDocument(readable.document);
  if (readable.line === undefined) return;
  const place = editor.document.validatePosition(new vscode.Position(readable.line, 0));
  editor.selection = new vscode.Selection(place, place);
  editor.revealRange(new vscode.Range(place, place), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}

/** For whoever is busy elsewhere: the focus stays there, and a file that is in sight is not moved. */
export async function showBeside(store: HunkStore, uri: string, line: number): Promise<void> {
  const { document, line: place } = await readableAt(store, spelled(uri), line);
  const isShown = vscode.window.visibleTextEditors.some((editor) => editor.document === document);
  if (isShown) return;
  const selection = new vscode.Range(place ?? 0, 0, place ?? 0, 0);
  await vscode.window.showTextDocument(document, { preserveFocus: true, preview: true, selection });
}

/** The file itself. Where none is on the disk, because it is only proposed or was removed, the side that has its lines. */
async function readableAt(store: HunkStore, uri: string, line?: number): Promise<{ document: vscode.TextDocument; line?: number | undefined }> {
  try {
    return { document: await vscode.workspace.openTextDocument(vscode.Uri.parse(uri)), line };
  } catch (problem) {
    const hunks = store.file(uri)?.hunks ?? [];
    const proposed = hunksOn("proposed", hunks);
    const shown = proposed.length > 0 ? proposed : hunks;
    const placed = shown.find(({ first }) => first >= (line ?? 0)) ?? shown[0];
    if (placed === undefined) throw problem;
    const document = await vscode.workspace.openTextDocument(otherSide(proposed.length > 0 ? PROPOSED : ORIGINAL, uri));
    return { document, line: lineOnOtherSide(hunks, placed) };
  }
}

/** The server and the editor may escape the same path differently. */
export function spelled(uri: string): string {
  return vscode.Uri.parse(uri).toString();
}

/** What the agent wants to change is shown on the right, whether it is in the file already or not. */
export async function compareFile(store: HunkStore, uri: string, placed?: PlacedHunk): Promise<void> {
  const [left, right] = await sidesOf(store, uri);
  const isFile = right.scheme !== PROPOSED;
  const line = placed && (isFile || placed.hunk.state === "pending" ? placed.first : lineOnOtherSide(store.file(uri)?.hunks ?? [], placed));
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
  await showLine(store, uri, first);
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
  const resources = await Promise.all(
    files.map(async (file) => [vscode.Uri.parse(file.uri), ...(await sidesOf(store, file.uri, turn))]),
  );
  await vscode.commands.executeCommand("vscode.changes", title, resources);
  return files.length;
}

async function sidesOf(store: HunkStore, uri: string, turn?: TurnName): Promise<[vscode.Uri, vscode.Uri]> {
  const file = vscode.Uri.parse(uri);
  if (!(await isOnDisk(file))) return [otherSide(ORIGINAL, uri, turn), otherSide(PROPOSED, uri, turn)];
  const isProposed = hunksOf(store, uri, turn).some(({ hunk }) => hunk.state !== "pending");
  return isProposed ? [file, otherSide(PROPOSED, uri, turn)] : [otherSide(ORIGINAL, uri, turn), file];
}

export async function isOnDisk(file: vscode.Uri): Promise<boolean> {
  try {
    await vscode.workspace.fs.stat(file);
    return true;
  } catch {
    return false;
  }
}

/** A place in a real file, and the hunk there. */
export interface Place {
  uri: string;
  line: number;
  placed: PlacedHunk | undefined;
}

/** Where the cursor is. In a document that is only a side of a file, where that is in the file. */
export function cursorPlace(store: HunkStore): Place | undefined {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) return undefined;
  const { document, selection } = editor;
  const line = selection.active.line;
  const behind = fileBehind(store, document.uri);
  if (behind !== undefined) return { uri: behind.uri, ...placeInFile(behind.side, behind.hunks, line, document.lineCount) };
  const uri = document.uri.toString();
  return { uri, line, placed: store.at(uri, line, document.lineCount) };
}
