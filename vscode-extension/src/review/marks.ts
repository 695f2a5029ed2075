// What of a hunk is marked where. Pure: lines and columns in, lines and columns out.
import type { PlacedHunk } from "./hunks";
import { countLines, splitLines, withoutLineEnd } from "./lines";
import { changedWords } from "./words";

export type LineMark = "added" | "changed" | "gap" | "going" | "contested";

/** Text that is shown behind a line without being in the document. */
export interface Ghost {
  line: number;
  /** One line: the first if it stands for several. */
  text: string;
  /** How many lines it stands for. */
  lines: number;
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
    const ghosts = summary(other, line).map((ghost) => ({ ...ghost, side: otherSide }) as const);
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

type Plain = Omit<Ghost, "side">;

/** Each line of the other side behind the line in its place. Where there are too few places, only how many there are. */
function ghosts(other: readonly string[], first: number, last: number): Plain[] {
  if (other.length > last - first) return summary(other, first);
  const paired = other.map((text, place) => ({ line: first + place, text: cut(text.trim()), lines: 1 }));
  return paired.filter(({ text }) => text !== "");
}

function summary(lines: readonly string[], line: number): Plain[] {
  const said = lines.find((candidate) => candidate.trim() !== "") ?? "";
  return lines.length === 0 ? [] : [{ line, text: cut(said.trim()), lines: lines.length }];
}

/** How many lines of the other side can be read nowhere in the editor. */
export function hiddenLines({ hunk, first, last }: PlacedHunk): number {
  const other = countLines(hunk.state === "pending" ? hunk.removed : hunk.added);
  return other > Math.max(last - first, 1) ? other : 0;
}

function cut(text: string): string {
  return text.length > LONGEST_GHOST ? `${text.slice(0, LONGEST_GHOST)}…` : text;
}
