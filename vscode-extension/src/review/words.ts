// Which words of a line differ from another line.

/** Columns, the second one exclusive. */
export type Columns = readonly [number, number];

/** Longer lines are data, not prose: nobody looks for the word. */
const LONGEST = 1000;
/** Below this share of common text the whole line is the change. */
const LEAST_COMMON = 0.4;

export interface ChangedWords {
  old: Columns[];
  new: Columns[];
}

const NOTHING: ChangedWords = { old: [], new: [] };

export function changedWords(before: string, after: string): ChangedWords {
  if (before === after || before.length > LONGEST || after.length > LONGEST) return NOTHING;
  const old = tokens(before);
  const fresh = tokens(after);
  const kept = commonTokens(old, fresh);
  const common = kept.reduce((sum, [place]) => sum + (old[place] ?? "").length, 0);
  if (common < Math.max(before.length, after.length) * LEAST_COMMON) return NOTHING;
  return {
    old: gaps(old, new Set(kept.map(([place]) => place))),
    new: gaps(fresh, new Set(kept.map(([, place]) => place))),
  };
}

/** Words, runs of spaces, and single other characters. */
function tokens(line: string): string[] {
  return line.match(/[\p{L}\p{N}_]+|\s+|./gu) ?? [];
}

/** Pairs of places of equal tokens, in order: a longest common subsequence. */
function commonTokens(old: readonly string[], fresh: readonly string[]): [number, number][] {
  const width = fresh.length + 1;
  const lengths = new Uint16Array((old.length + 1) * width);
  const at = (row: number, column: number): number => lengths[row * width + column] ?? 0;
  for (let row = old.length - 1; row >= 0; row -= 1) {
    for (let column = fresh.length - 1; column >= 0; column -= 1) {
      const equal = old[row] === fresh[column];
      lengths[row * width + column] = equal
        ? at(row + 1, column + 1) + 1
        : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const pairs: [number, number][] = [];
  let row = 0;
  let column = 0;
  while (row < old.length && column < fresh.length) {
    if (old[row] === fresh[column]) pairs.push([row++, column++]);
    else if (at(row + 1, column) >= at(row, column + 1)) row += 1;
    else column += 1;
  }
  return pairs;
}

/** The columns of the tokens that are not kept, neighbours joined. */
function gaps(line: readonly string[], kept: ReadonlySet<number>): Columns[] {
  const found: [number, number][] = [];
  let column = 0;
  for (const [place, token] of line.entries()) {
    const end = column + token.length;
    if (!kept.has(place)) {
      const last = found.at(-1);
      if (last?.[1] === column) last[1] = end;
      else found.push([column, end]);
    }
    column = end;
  }
  return found;
}
