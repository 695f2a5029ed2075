// The other side of a file: a document that is nowhere on the disk.
import * as vscode from "vscode";
import type { Server } from "../server/server";
import type { HunkStore, PlacedHunk } from "./hunks";
import type { TurnName } from "./review";
import { originalText, proposedText, type Side } from "./sides";

export const ORIGINAL = "pollux-original";
export const PROPOSED = "pollux-proposed";

export class Originals implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.#changed.event;
  readonly #owned: vscode.Disposable[];

  constructor(
    private readonly server: Server,
    private readonly store: HunkStore,
  ) {
    const unwatch = store.watch((uri) => this.#refresh(uri));
    this.#owned = [
      this.#changed,
      { dispose: unwatch },
      vscode.workspace.registerTextDocumentContentProvider(ORIGINAL, this),
      vscode.workspace.registerTextDocumentContentProvider(PROPOSED, this),
    ];
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const file = vscode.Uri.parse(uri.query);
    const turn = turnOf(uri.fragment);
    const base = uri.scheme === ORIGINAL && turn === undefined ? await this.#baseText(uri.query) : undefined;
    if (base !== undefined) return base;
    const hunks = hunksOf(this.store, file.toString(), turn);
    const text = await currentText(file);
    return uri.scheme === ORIGINAL ? originalText(text, hunks) : proposedText(text, hunks);
  }

  dispose(): void {
    for (const owned of this.#owned) owned.dispose();
  }

  /** What the server holds below all hunks. Where it cannot say, the hunks are taken out of the text here. */
  async #baseText(uri: string): Promise<string | undefined> {
    const answer = await this.server.request("pollux/baseText", { uri }).catch(() => undefined);
    return answer?.text;
  }

  #refresh(uri: string): void {
    for (const document of vscode.workspace.textDocuments) {
      const { scheme, query } = document.uri;
      if ((scheme === ORIGINAL || scheme === PROPOSED) && query === uri) this.#changed.fire(document.uri);
    }
  }
}

/** The path stays the file's own, so that language and title are right. */
export function otherSide(scheme: typeof ORIGINAL | typeof PROPOSED, uri: string, turn?: TurnName): vscode.Uri {
  const fragment = turn === undefined ? "" : JSON.stringify([turn.session, turn.turn]);
  return vscode.Uri.from({ scheme, path: vscode.Uri.parse(uri).path, query: uri, fragment });
}

/** The file that such a document is a side of, and the hunks that it was made from. */
export function fileBehind(store: HunkStore, uri: vscode.Uri): { uri: string; side: Side; hunks: PlacedHunk[] } | undefined {
  if (uri.scheme !== ORIGINAL && uri.scheme !== PROPOSED) return undefined;
  const side = uri.scheme === ORIGINAL ? "original" : "proposed";
  return { uri: uri.query, side, hunks: hunksOf(store, uri.query, turnOf(uri.fragment)) };
}

/** The hunks of a file; of one turn if it is named. */
export function hunksOf(store: HunkStore, uri: string, turn?: TurnName): PlacedHunk[] {
  const hunks = store.file(uri)?.hunks ?? [];
  return hunks.filter(
    ({ hunk }) => turn === undefined || (hunk.session === turn.session && hunk.turn === turn.turn),
  );
}

function turnOf(fragment: string): TurnName | undefined {
  if (fragment === "") return undefined;
  const parsed: unknown = JSON.parse(fragment);
  if (!Array.isArray(parsed) || typeof parsed[0] !== "string" || typeof parsed[1] !== "number") return undefined;
  return { session: parsed[0], turn: parsed[1] };
}

/** A file that the agent has removed is empty now. */
export async function currentText(uri: vscode.Uri): Promise<string> {
  try {
    return (await vscode.workspace.openTextDocument(uri)).getText();
  } catch {
    return "";
  }
}
