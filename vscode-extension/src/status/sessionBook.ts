// What is known of the sessions that a window follows. Pure, so that it can be tried without an editor.
import type { SessionEvent } from "../protocol";
import { fold, newStatus, type SessionStatus } from "./sessionState";

export class SessionBook {
  readonly #sessions = new Map<string, SessionStatus>();
  /** Nobody looks at these any more, but something of them may still be on its way. */
  readonly #left = new Set<string>();
  #latest: string | undefined;

  /** The one that something happened in last. */
  get current(): SessionStatus | undefined {
    return this.#latest === undefined ? undefined : this.#sessions.get(this.#latest);
  }

  /** How many questions wait. */
  get questions(): number {
    let count = 0;
    for (const { questions } of this.#sessions.values()) count += questions.length;
    return count;
  }

  /** A session that waits for an answer: the one that is looked at, if it does. */
  asking(shown: string | undefined): string | undefined {
    const asks = ({ questions }: SessionStatus): boolean => questions.length > 0;
    const all = [...this.#sessions.values()].filter(asks).map(({ session }) => session);
    return shown !== undefined && all.includes(shown) ? shown : all[0];
  }

  hear(session: string, events: readonly SessionEvent[]): "moved" | "same" {
    // Whoever comes back to a session is told everything from its start.
    if (events[0]?.kind === "opened") this.#left.delete(session);
    if (this.#left.has(session)) return "same";
    const before = this.#sessions.get(session) ?? newStatus(session);
    const after = events.reduce(fold, before);
    this.#sessions.set(session, after);
    const moved = this.#latest !== session || after !== before;
    this.#latest = session;
    return moved ? "moved" : "same";
  }

  /** How it goes on there will not be told: what is known of it would only get older. */
  leave(session: string): void {
    this.#sessions.delete(session);
    this.#left.add(session);
    if (this.#latest === session) this.#latest = undefined;
  }

  clear(): void {
    this.#sessions.clear();
    this.#left.clear();
    this.#latest = undefined;
  }
}
