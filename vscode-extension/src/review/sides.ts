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

/** Such a text cannot go through an editor unchanged. */
export function hasMixedLineEnds(text: string): boolean {
  return text.includes("\r\n") && /(^|[^\r])\n/.test(text);
}

export type Side = "original" | "proposed";

/** The hunks that a side has other lines for than the file. */
export function hunksOn(side: Side, hunks: readonly PlacedHunk[]): PlacedHunk[] {
  return hunks.filter(({ hunk }) => (hunk.state === "pending") === (side === "original"));
}

/** A line of a side as a line of the file, and the hunk that it belongs to. The other way of the one above. */
export function placeInFile(side: Side, hunks: readonly PlacedHunk[], line: number, lineCount: number): { line: number; placed: PlacedHunk | undefined } {
  let shift = 0;
  for (const placed of hunksOn(side, hunks)) {
    const { hunk, first, last } = placed;
    const height = countLines(side === "original" ? hunk.removed : hunk.added);
    // A gap belongs to the line behind it, and at the end to the last one.
    const top = Math.min(first + shift, Math.max(lineCount - 1, 0));
    if (line < top) break;
    if (line < top + Math.max(height, 1)) return { line: first, placed };
    shift += height - (last - first);
  }
  const inFile = Math.max(line - shift, 0);
  return { line: inFile, placed: hunks.find(({ first, last }) => inFile >= first && inFile < last) };
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
