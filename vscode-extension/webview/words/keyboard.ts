// Where the person sits: the view is the only part that always runs on that machine.
import type { Keyboard } from "../../src/chat/messages";

export function keyboard(): Keyboard {
  return navigator.userAgent.includes("Mac") ? "mac" : "other";
}
