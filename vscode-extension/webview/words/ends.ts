// How a turn ended that did not do what it was asked to.
import type { TurnEnd } from "../../src/protocol";
import type { Words } from "../strings";

const TITLES: Partial<Record<TurnEnd, Words>> = { limited: "limitedTurn", interrupted: "interruptedTurn" };

export function endTitle(outcome: TurnEnd): Words {
  return TITLES[outcome] ?? "failedTurn";
}

/** Whether it has a card, with a way out. */
export function isFailure(outcome: TurnEnd): outcome is "failed" | "limited" | "interrupted" {
  return outcome === "failed" || outcome === "limited" || outcome === "interrupted";
}
