// Opens what the agent changes, for whoever has asked for that. The focus stays where it is.
import type * as vscode from "vscode";
import type { HunkStore } from "./hunks";
import { showBeside } from "./places";
import type { TurnName } from "./review";
import { reveals } from "./settings";

/** The turn that runs, and word of it. */
export interface RunningTurn {
  readonly runningTurn: TurnName | undefined;
  readonly onDidChange: vscode.Event<void>;
}

export class Revealing implements vscode.Disposable {
  /** By the turn that has changed them last. */
  readonly #shown = new Map<string, string>();
  readonly #owned: vscode.Disposable[];

  constructor(
    private readonly store: HunkStore,
    private readonly turns: RunningTurn,
  ) {
    this.#owned = [
      { dispose: store.watch((uri) => this.#look(uri)) },
      // A quick edit is there before the news of its turn.
      turns.onDidChange(() => {
        for (const { uri } of this.store.files) this.#look(uri);
      }),
    ];
  }

  dispose(): void {
    for (const owned of this.#owned) owned.dispose();
  }

  /** What another turn has changed was shown before, or was there before the window was opened. */
  #look(uri: string): void {
    const running = this.turns.runningTurn;
    if (running === undefined || !reveals()) return;
    const { session, turn } = running;
    const first = this.store.file(uri)?.hunks.find(({ hunk }) => hunk.session === session && hunk.turn === turn);
    const name = `${session} ${turn}`;
    if (first === undefined || this.#shown.get(uri) === name) return;
    this.#shown.set(uri, name);
    // A file that cannot be shown is in the list of changes all the same.
    showBeside(this.store, uri, first.first).then(undefined, () => undefined);
  }
}
