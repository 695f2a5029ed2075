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
    const uris = this.store.files.map((file) => vscode.Uri.parse(file.uri));
    // The side of a file that is nowhere on the disk spells its path as an address does.
    const paths = [...new Set(uris.flatMap(({ fsPath, path }) => [fsPath, path]))];
    void vscode.commands.executeCommand("setContext", "pollux.hasPendingHunks", paths.length > 0);
    void vscode.commands.executeCommand("setContext", "pollux.pendingPaths", paths);
    void vscode.commands.executeCommand("setContext", "pollux.hasUnsentComments", this.store.unsent > 0);
  }
}
