// A followed session is told from its start. This tells what is said again from what has just happened, without a
// clock: however slow the machine is, a person is told of news only.
import type { SessionEventsParams } from "../protocol";

/** A long past comes in pieces of so many events; a shorter piece is its end. */
const WHOLE_PIECE = 2_000;

export class News {
  readonly #cursors = new Map<string, number>();
  readonly #catchingUp = new Set<string>();

  /** To be asked once for each message, in their order. */
  hear({ session, cursor, events }: SessionEventsParams): "past" | "new" {
    const isStart = events[0]?.kind === "opened";
    const from = isStart ? 0 : (this.#cursors.get(session) ?? 0);
    this.#cursors.set(session, cursor);
    if (isStart) this.#catchingUp.add(session);
    if (!this.#catchingUp.has(session)) return "new";
    if (cursor - from < WHOLE_PIECE) this.#catchingUp.delete(session);
    return "past";
  }
}
