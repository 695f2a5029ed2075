// Opens what the agent changes, for whoever has asked for that. The focus stays where it is.
import type * as vscode from "vscode";
import type { HunkStore } from "./hunks";
import { showBeside } from "./places";
import { reveals } from "./settings";

export class Revealing implements vscode.Disposable {
  readonly #known = new Set<string>();
  readonly #unwatch: () => void;

  constructor(
    private readonly store: HunkStore,
    private readonly isRunning: () => boolean,
  ) {
    this.#unwatch = store.watch((uri) => this.#moved(uri));
  }

  dispose(): void {
    this.#unwatch();
  }

  #moved(uri: string): void {
    const first = this.store.file(uri)?.hunks[0];
    const isNew = first !== undefined && !this.#known.has(uri);
    if (first === undefined) this.#known.delete(uri);
    else this.#known.add(uri);
    // What was there before the window was opened is no news.
    if (!isNew || !this.isRunning() || !reveals()) return;
    // A file that cannot be shown is in the list of changes all the same.
    showBeside(this.store, uri, first.first).then(undefined, () => undefined);
  }
}
