// What the settings say about how edits are decided: one by one before they are made, afterwards, or not at all.
import type { SessionEventsParams, SessionMode } from "../protocol";
import type { Server } from "../server/server";
import type { TurnName } from "./review";

export type ReviewMode = "ask" | "after" | "auto";

/** Who begins a session with it. */
export const STARTS_WITH: Record<ReviewMode, SessionMode> = { ask: "default", after: "autoEdit", auto: "autoEdit" };

/** Keeps what a turn has changed as soon as it is over, where nobody wants to look at it. A decision like any other: it can be undone. */
export class TurnKeeper {
  constructor(
    private readonly server: Pick<Server, "execute">,
    private readonly mode: () => ReviewMode,
    private readonly say: (message: string) => void,
  ) {}

  hear({ session, events, past }: SessionEventsParams): void {
    // What is only said again was decided when it happened.
    if (past || this.mode() !== "auto") return;
    for (const event of events) if (event.kind === "turnEnded") void this.#keep({ session, turn: event.turn });
  }

  async #keep(turn: TurnName): Promise<void> {
    try {
      const { message } = await this.server.execute("pollux.all.keep", { ...turn });
      if (message !== undefined) this.say(message);
    } catch {
      // Most turns change nothing, and what is in conflict waits in any case.
    }
  }
}
