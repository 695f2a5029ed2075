// The sessions that this window follows, as far as a status line needs to know them.
import * as vscode from "vscode";
import type { TurnName } from "../review/review";
import type { Server } from "../server/server";
import { fold, newStatus, type SessionStatus } from "./sessionState";

export class Sessions implements vscode.Disposable {
  readonly #sessions = new Map<string, SessionStatus>();
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#changed.event;
  readonly #owned: vscode.Disposable[];
  #latest: string | undefined;

  constructor(server: Server) {
    this.#owned = [
      this.#changed,
      server.on("pollux/sessionEvents", ({ session, events }) => {
        const before = this.#sessions.get(session) ?? newStatus(session);
        const after = events.reduce(fold, before);
        this.#sessions.set(session, after);
        const moved = this.#latest !== session || after !== before;
        this.#latest = session;
        if (moved) this.#changed.fire();
      }),
      server.onDidChangeState((state) => {
        if (state.kind === "ready") return;
        // Whoever follows a session follows it again from the start, and all of this is said anew.
        this.#sessions.clear();
        this.#latest = undefined;
        this.#changed.fire();
      }),
    ];
  }

  /** The one that something happened in last. */
  get current(): SessionStatus | undefined {
    return this.#latest === undefined ? undefined : this.#sessions.get(this.#latest);
  }

  get questions(): number {
    let count = 0;
    for (const { questions } of this.#sessions.values()) count += questions.length;
    return count;
  }

  get lastTurn(): TurnName | undefined {
    const turn = this.current?.lastTurn;
    return this.current === undefined || turn === undefined ? undefined : { session: this.current.session, turn };
  }

  dispose(): void {
    for (const owned of this.#owned) owned.dispose();
  }
}
