// The hunks that wait for a decision, by file. Knows nothing of an editor.
import type { HunksParams, LineComment, PendingHunk } from "../protocol";
import { countLines } from "./lines";
import { shifted, type LineSpan, type TextChange } from "./shifting";

/** A hunk with its name and where it stands now. */
export interface PlacedHunk extends LineSpan {
  uri: string;
  revision: number;
  /** The place among the hunks of its file, from one. */
  position: number;
  hunk: PendingHunk;
}

/** As the server names a hunk. */
export interface HunkName {
  uri: string;
  revision: number;
  index: number;
}

export interface PendingFile {
  uri: string;
  path: string;
  revision: number;
  hunks: readonly PlacedHunk[];
  added: number;
  removed: number;
}

/** Longer than any pause between two messages of the server. */
const MOST_CHANGES_KEPT = 256;

interface Change {
  version: number;
  parts: readonly TextChange[];
}

export class HunkStore {
  readonly #files = new Map<string, PendingFile>();
  /** What is to be sent about files that have no hunk any more. */
  readonly #remarks = new Map<string, readonly LineComment[]>();
  readonly #changes = new Map<string, Change[]>();
  readonly #watchers = new Set<(uri: string) => void>();

  /** Called with the file that has changed. */
  watch(watcher: (uri: string) => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  /** Sorted by path. */
  get files(): PendingFile[] {
    return [...this.#files.values()].sort((one, other) => (one.path < other.path ? -1 : 1));
  }

  get count(): number {
    let count = 0;
    for (const file of this.#files.values()) count += file.hunks.length;
    return count;
  }

  file(uri: string): PendingFile | undefined {
    return this.#files.get(uri);
  }

  /** All that is written beside the lines of a file. */
  comments(uri: string): LineComment[] {
    const beside = this.#files.get(uri)?.hunks ?? [];
    return [...beside.flatMap(({ hunk }) => hunk.comments), ...(this.#remarks.get(uri) ?? [])];
  }

  /** How many comments the agent has not been told. */
  get unsent(): number {
    const uris = new Set([...this.#files.keys(), ...this.#remarks.keys()]);
    return [...uris].flatMap((uri) => this.comments(uri)).filter(({ sent }) => !sent).length;
  }

  /** A message replaces what is known of its file. Edits that it does not know of yet are put on top. */
  replace(message: HunksParams): void {
    const { uri, path, revision } = message;
    const later = this.#since(uri, message.version ?? undefined);
    const remarks = message.comments ?? [];
    const hadRemarks = this.#remarks.delete(uri);
    if (remarks.length > 0) this.#remarks.set(uri, remarks);
    if (message.hunks.length === 0) {
      if (!this.#files.delete(uri) && !hadRemarks && remarks.length === 0) return;
    } else {
      const hunks = message.hunks.map((hunk, place) => ({
        uri,
        revision,
        position: place + 1,
        hunk,
        ...later.reduce<LineSpan>(shifted, spanOf(hunk)),
      }));
      this.#files.set(uri, { uri, path, revision, hunks, ...totals(message.hunks) });
    }
    this.#tell(uri);
  }

  /** The document was edited and has this version now. */
  edited(uri: string, version: number, parts: readonly TextChange[]): void {
    const changes = this.#changes.get(uri) ?? [];
    changes.push({ version, parts });
    this.#changes.set(uri, changes.slice(-MOST_CHANGES_KEPT));
    const file = this.#files.get(uri);
    if (file === undefined) return;
    const hunks = file.hunks.map((placed) => ({ ...placed, ...parts.reduce<LineSpan>(shifted, placed) }));
    this.#files.set(uri, { ...file, hunks });
  }

  closed(uri: string): void {
    this.#changes.delete(uri);
  }

  /** The server is gone, and with it everything it said. */
  clear(): void {
    const uris = new Set([...this.#files.keys(), ...this.#remarks.keys()]);
    this.#files.clear();
    this.#remarks.clear();
    for (const uri of uris) this.#tell(uri);
  }

  /** The hunk that a line belongs to. A gap belongs to the line behind it, and at the end to the last one. */
  at(uri: string, line: number, lineCount: number): PlacedHunk | undefined {
    return this.#files.get(uri)?.hunks.find(({ first, last }) => {
      const top = Math.min(first, Math.max(lineCount - 1, 0));
      return line >= top && line < Math.max(last, top + 1);
    });
  }

  /** The hunk that has exactly this name; none if that has gone stale. */
  named({ uri, revision, index }: HunkName): PlacedHunk | undefined {
    return this.#files.get(uri)?.hunks.find((placed) => placed.revision === revision && placed.hunk.index === index);
  }

  /** The same hunk under its new name, after the old one went stale. */
  renamed(old: PlacedHunk): PlacedHunk | undefined {
    const stands = (this.#files.get(old.uri)?.hunks ?? []).filter(({ hunk }) => hunk.removed === old.hunk.removed);
    const same = stands.filter(({ hunk }) => hunk.added === old.hunk.added);
    const distance = (candidate: PlacedHunk): number => Math.abs(candidate.first - old.first);
    return same.sort((one, other) => distance(one) - distance(other))[0] ?? edited(stands, old);
  }

  #since(uri: string, version: number | undefined): TextChange[] {
    if (version === undefined) return [];
    const changes = (this.#changes.get(uri) ?? []).filter((change) => change.version > version);
    this.#changes.set(uri, changes);
    return changes.flatMap((change) => change.parts);
  }

  #tell(uri: string): void {
    for (const watcher of this.#watchers) watcher(uri);
  }
}

/** Whoever types into a hunk and decides at once means the one with the last letter in it, which is on the screen already. */
function edited(stands: readonly PlacedHunk[], { first, last }: PlacedHunk): PlacedHunk | undefined {
  const here = stands.filter((candidate) => candidate.first <= last && first <= candidate.last);
  return here.length === 1 ? here[0] : undefined;
}

function spanOf({ range }: PendingHunk): LineSpan {
  const last = range.end.character > 0 ? range.end.line + 1 : range.end.line;
  return { first: range.start.line, last };
}

function totals(hunks: readonly PendingHunk[]): { added: number; removed: number } {
  let added = 0;
  let removed = 0;
  for (const hunk of hunks) {
    added += countLines(hunk.added);
    removed += countLines(hunk.removed);
  }
  return { added, removed };
}
