// Edits that wait for a decision. Their hunks can be decided in the file as well as in the chat, so which of them are
// still open is looked up in what the file shows.
import type { ProposedEdit, SessionEvent } from "../protocol";
import type { PlacedHunk } from "../review/hunks";

/** The proposed hunks that a file shows now. */
type Shown = (path: string) => readonly PlacedHunk[];

export interface OpenHunks {
  proposal: number;
  open: number[];
}

export class Proposals {
  readonly #waiting = new Map<number, ProposedEdit>();
  /** What was told last, as text. */
  readonly #told = new Map<number, string>();

  hear(events: readonly SessionEvent[]): void {
    for (const event of events) {
      if (event.kind === "editProposed") this.#waiting.set(event.proposal, event);
      else if (event.kind === "editDecided") this.#forget(event.proposal);
      else if (event.kind === "turnEnded" || event.kind === "opened") this.clear();
    }
  }

  clear(): void {
    this.#waiting.clear();
    this.#told.clear();
  }

  /** What has changed since this was last asked. */
  news(shown: Shown): OpenHunks[] {
    const news: OpenHunks[] = [];
    for (const [proposal, edit] of this.#waiting) {
      const open = [...matched(edit, shown(edit.path)).keys()].sort((one, other) => one - other);
      // The file does not show it yet, or the last decision is on its way.
      if (open.length === 0 || this.#told.get(proposal) === String(open)) continue;
      this.#told.set(proposal, String(open));
      news.push({ proposal, open });
    }
    return news;
  }

  /** The hunk of a proposal as the file shows it; `undefined` once it is decided. */
  find(proposal: number, hunk: number, shown: Shown): PlacedHunk | undefined {
    const edit = this.#waiting.get(proposal);
    return edit && matched(edit, shown(edit.path)).get(hunk);
  }

  /** All hunks of a proposal as the file shows them; none unless all are still open. */
  whole(proposal: number, shown: Shown): PlacedHunk[] {
    const edit = this.#waiting.get(proposal);
    const found = edit === undefined ? [] : [...matched(edit, shown(edit.path)).values()];
    return found.length === edit?.hunks.length ? found : [];
  }

  #forget(proposal: number): void {
    this.#waiting.delete(proposal);
    this.#told.delete(proposal);
  }
}

/** Which hunk of an edit is which in the file: by their texts, and of equal ones the nearest. */
function matched(edit: ProposedEdit, shown: readonly PlacedHunk[]): Map<number, PlacedHunk> {
  const found = new Map<number, PlacedHunk>();
  for (const placed of shown) {
    const distance = (place: number): number => Math.abs((edit.hunks[place]?.baseLine ?? 0) - placed.first);
    const [nearest] = [...edit.hunks.entries()]
      .filter(([place, { removed, added }]) => !found.has(place) && removed === placed.hunk.removed && added === placed.hunk.added)
      .map(([place]) => place)
      .sort((one, other) => distance(one) - distance(other));
    if (nearest !== undefined) found.set(nearest, placed);
  }
  return found;
}
