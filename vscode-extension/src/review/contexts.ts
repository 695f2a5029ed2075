// Keys and menus know of hunks only through these.
import * as vscode from "vscode";
import type { HunkStore } from "./hunks";

export class Contexts implements vscode.Disposable {
  readonly #unwatch: () => void;

  constructor(private readonly store: HunkStore) {
    this.#unwatch = store.watch(() => this.#publish());
    this.#publish();
  }

  dispose(): void {
    this.#unwatch();
  }

  #publish(): void {
    const uris = this.store.files.map((file) => file.uri);
    void vscode.commands.executeCommand("setContext", "pollux.hasPendingHunks", uris.length > 0);
    void vscode.commands.executeCommand("setContext", "pollux.pendingFiles", uris);
  }
}
