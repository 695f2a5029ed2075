// Texts that are only looked at: whole outputs, what was sent, long answers. Nothing is written to disk.
import * as vscode from "vscode";

const SCHEME = "pollux-text";
/** Closed editors may come back by the history; this many texts are kept for them. */
const KEPT = 20;

export class Texts implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #texts = new Map<string, string>();
  readonly #owned: vscode.Disposable;
  #next = 1;

  constructor() {
    this.#owned = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#texts.get(uri.query) ?? "";
  }

  async show(title: string, language: string, text: string): Promise<void> {
    const query = String(this.#next++);
    this.#texts.set(query, text);
    for (const old of this.#texts.keys()) {
      if (this.#texts.size <= KEPT) break;
      this.#texts.delete(old);
    }
    const name = title.replace(/[\\/:*?"<>|\s]+/g, " ").trim().slice(0, 60);
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${name === "" ? "Pollux" : name}`, query });
    const document = await vscode.workspace.openTextDocument(uri);
    const known = await vscode.languages.getLanguages();
    const shown = known.includes(language) ? await vscode.languages.setTextDocumentLanguage(document, language) : document;
    await vscode.window.showTextDocument(shown, { preview: true });
  }

  dispose(): void {
    this.#owned.dispose();
    this.#texts.clear();
  }
}
