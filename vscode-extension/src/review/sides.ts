// The two sides of a file with hunks, made from its text and the hunks themselves.
import type { PendingHunk } from "../protocol";
import type { PlacedHunk } from "./hunks";
import { countLines, splitLines } from "./lines";

/** Without what the agent wrote. */
export function originalText(text: string, hunks: readonly PlacedHunk[]): string {
  return replaced(text, hunks, (hunk) => (hunk.state === "pending" ? hunk.removed : undefined));
}

/** With what the agent wants to write. */
export function proposedText(text: string, hunks: readonly PlacedHunk[]): string {
  return replaced(text, hunks, (hunk) => (hunk.state === "pending" ? undefined : hunk.added));
}

/** Where a hunk stands on the other side, which has the hunks above it in another length. */
export function lineOnOtherSide(hunks: readonly PlacedHunk[], { first, hunk }: PlacedHunk): number {
  const isOriginal = hunk.state === "pending";
  const above = hunks.filter((other) => other.first < first && (other.hunk.state === "pending") === isOriginal);
  return above.reduce((line, other) => {
    const there = countLines(isOriginal ? other.hunk.removed : other.hunk.added);
    return line + there - (other.last - other.first);
  }, first);
}

function replaced(
  text: string,
  hunks: readonly PlacedHunk[],
  instead: (hunk: PendingHunk) => string | undefined,
): string {
  const lines = splitLines(text);
  const fromTheEnd = [...hunks].sort((one, other) => other.first - one.first);
  for (const { first, last, hunk } of fromTheEnd) {
    const other = instead(hunk);
    if (other !== undefined) lines.splice(first, last - first, other);
  }
  return lines.join("");
}
