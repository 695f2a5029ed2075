// What of a hunk is marked where. Pure: lines and columns in, lines and columns out.
import type { PlacedHunk } from "./hunks";
import { splitLines, withoutLineEnd } from "./lines";
import { changedWords } from "./words";

export type LineMark = "added" | "changed" | "gap" | "going" | "contested";

/** Text that is shown behind a line without being in the document. */
export interface Ghost {
  line: number;
  text: string;
  side: "removed" | "added";
}

export interface Marks {
  /** Whole lines, the last one exclusive. A gap has the line it is drawn at. */
  lines: { mark: LineMark; first: number; last: number };
  words: { line: number; from: number; to: number; side: "removed" | "added" }[];
  ghosts: Ghost[];
}

/** More than a screen is wide helps nobody. */
const LONGEST_GHOST = 160;
/** Word by word is for what a person reads, not for a file that was rewritten. */
const MOST_COMPARED = 200;

export function marksOf(placed: PlacedHunk, lineCount: number): Marks {
  const { hunk, first, last } = placed;
  const here = splitLines(hunk.state === "pending" ? hunk.added : hunk.removed).map(withoutLineEnd);
  const other = splitLines(hunk.state === "pending" ? hunk.removed : hunk.added).map(withoutLineEnd);
  const side = hunk.state === "pending" ? "added" : "removed";
  const otherSide = hunk.state === "pending" ? "removed" : "added";
  const lastLine = Math.max(lineCount - 1, 0);
  if (last <= first) {
    const line = Math.min(first, lastLine);
    const ghosts = other.length === 0 ? [] : [{ line, text: summary(other), side: otherSide } as const];
    return { lines: { mark: "gap", first: line, last: line + 1 }, words: [], ghosts };
  }
  const mark = hunk.state === "proposed" ? "going" : hunk.state === "conflict" ? "contested" : markOf(other);
  return {
    lines: { mark, first, last: Math.min(last, lineCount) },
    words: words(here, other, first).map((found) => ({ ...found, side })),
    ghosts: ghosts(other, first, Math.min(last, lineCount)).map((ghost) => ({ ...ghost, side: otherSide })),
  };
}

function markOf(removed: readonly string[]): LineMark {
  return removed.length === 0 ? "added" : "changed";
}

function words(here: readonly string[], other: readonly string[], first: number) {
  if (here.length !== other.length || here.length > MOST_COMPARED) return [];
  return here.flatMap((line, place) =>
    changedWords(other[place] ?? "", line).new.map(([from, to]) => ({ line: first + place, from, to })),
  );
}

/** Each line of the other side behind the line in its place; what is left over is counted at the last one. */
function ghosts(other: readonly string[], first: number, last: number): { line: number; text: string }[] {
  const height = last - first;
  if (height <= 0 || other.length === 0) return [];
  const paired = other.slice(0, height).map((text, place) => ({ line: first + place, text: cut(text.trim()) }));
  const rest = other.slice(height);
  const bottom = paired.at(-1);
  if (bottom !== undefined && rest.length > 0) bottom.text = summary([bottom.text, ...rest]);
  return paired.filter(({ text }) => text !== "");
}

function summary(lines: readonly string[]): string {
  const text = cut((lines[0] ?? "").trim());
  return lines.length === 1 ? text : `${text} … +${lines.length - 1}`;
}

function cut(text: string): string {
  return text.length > LONGEST_GHOST ? `${text.slice(0, LONGEST_GHOST)}…` : text;
}
