import type { HunksParams, PendingHunk } from "../../src/protocol";

export const FILE = "file:///project/upload.rs";

export function hunk(first: number, last: number, removed: string, added: string, more: Partial<PendingHunk> = {}): PendingHunk {
  return {
    index: 0,
    state: "pending",
    range: { start: { line: first, character: 0 }, end: { line: last, character: 0 } },
    removed,
    added,
    edited: false,
    comments: [],
    ...more,
  };
}

export function message(hunks: PendingHunk[], more: Partial<HunksParams> = {}): HunksParams {
  const numbered = hunks.map((item, index) => ({ ...item, index }));
  return { uri: FILE, path: "upload.rs", version: 1, revision: 1, hunks: numbered, ...more };
}
