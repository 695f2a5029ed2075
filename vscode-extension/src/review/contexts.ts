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
    // As paths: in a remote window the part that reads this spells the address of a file in another way.
    const paths = this.store.files.map((file) => vscode.Uri.parse(file.uri).fsPath);
    void vscode.commands.executeCommand("setContext", "pollux.hasPendingHunks", paths.length > 0);
    void vscode.commands.executeCommand("setContext", "pollux.pendingPaths", paths);
  }
}
