// How long to wait before a server that ended is started again, and when to stop trying.

const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 10_000;
/** A server that ran for this long was fine; what ended it counts as the first time. */
const STEADY_MS = 60_000;
const MOST_TRIES = 6;

export type NextTry = { kind: "wait"; delayMs: number } | { kind: "giveUp" };

export class Backoff {
  #tries = 0;
  #startedAt: number;

  constructor(private readonly now: () => number) {
    this.#startedAt = now();
  }

  started(): void {
    this.#startedAt = this.now();
  }

  ended(): NextTry {
    if (this.now() - this.#startedAt >= STEADY_MS) this.#tries = 0;
    if (this.#tries >= MOST_TRIES) return { kind: "giveUp" };
    const delayMs = Math.min(FIRST_DELAY_MS * 3 ** this.#tries, LONGEST_DELAY_MS);
    this.#tries += 1;
    return { kind: "wait", delayMs };
  }
}
