// Where the person sits: the view is the only part that always runs on that machine.
import type { Keyboard } from "../../src/chat/messages";
import type { HunkDecision } from "../../src/protocol";

export function keyboard(): Keyboard {
  return navigator.userAgent.includes("Mac") ? "mac" : "other";
}

/** The keys that keep and reject in a file do so here too, for whatever has the focus. */
export function decisionOf({ altKey, metaKey, ctrlKey, isComposing, repeat, code }: KeyboardEvent): HunkDecision | undefined {
  if (!altKey || ctrlKey || isComposing || repeat || metaKey !== (keyboard() === "mac")) return undefined;
  // By its place: with that key held down the letter may be another one.
  return code === "KeyY" ? "keep" : code === "KeyN" ? "reject" : undefined;
}

/** How they are written: to keep, to reject. */
export function decisionKeys(): [string, string] {
  return keyboard() === "mac" ? ["⌥⌘Y", "⌥⌘N"] : ["Alt+Y", "Alt+N"];
}
