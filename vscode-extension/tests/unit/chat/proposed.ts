import type { SessionEvent } from "../../../src/protocol";
import type { PlacedHunk } from "../../../src/review/hunks";
import { FILE, hunk } from "../samples";

/** A hunk as the file shows it before anybody has decided. */
export function shownHunk(index: number, first: number, removed: string, added: string): PlacedHunk {
  const last = first + (removed === "" ? 0 : 1);
  return { uri: FILE, revision: 1, position: index + 1, first, last, hunk: hunk(first, last, removed, added, { index, state: "proposed" }) };
}

/** Each hunk as what goes, what comes, and the line. */
export function proposal(number: number, ...hunks: [string, string, number][]): SessionEvent {
  return {
    kind: "editProposed",
    proposal: number,
    call: "1",
    path: "upload.rs",
    hunks: hunks.map(([removed, added, baseLine]) => ({ removed, added, baseLine, line: baseLine })),
    allEdits: [],
  };
}
