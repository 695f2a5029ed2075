// The sessions that this window follows, as far as a status line needs to know them.
import * as vscode from "vscode";
import type { TurnName } from "../review/review";
import type { Server } from "../server/server";
import { SessionBook } from "./sessionBook";
import type { SessionStatus } from "./sessionState";

export class Sessions implements vscode.Disposable {
  readonly #book = new SessionBook();
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#changed.event;
  readonly #owned: vscode.Disposable[];

  constructor(server: Server) {
    this.#owned = [
      this.#changed,
      server.on("pollux/sessionEvents", ({ session, events }) => {
        if (this.#book.hear(session, events) === "moved") this.#changed.fire();
      }),
      server.onDidChangeState((state) => {
        if (state.kind === "ready") return;
        // Whoever follows a session follows it again from the start, and all of this is said anew.
        this.#book.clear();
        this.#changed.fire();
      }),
    ];
  }

  get current(): SessionStatus | undefined {
    return this.#book.current;
  }

  get questions(): number {
    return this.#book.questions;
  }

  asking(shown: string | undefined): string | undefined {
    return this.#book.asking(shown);
  }

  get lastTurn(): TurnName | undefined {
    const turn = this.current?.lastTurn;
    return this.current === undefined || turn === undefined ? undefined : { session: this.current.session, turn };
  }

  /** In the session that something happened in last. */
  get runningTurn(): TurnName | undefined {
    const turn = this.current?.turn;
    return this.current === undefined || turn === undefined ? undefined : { session: this.current.session, turn };
  }

  /** Nobody looks at it any more. */
  leave(session: string): void {
    this.#book.leave(session);
    this.#changed.fire();
  }

  dispose(): void {
    for (const owned of this.#owned) owned.dispose();
  }
}
