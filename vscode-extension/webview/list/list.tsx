// The conversation as a list of which only the visible part is on the page. Heights are measured as rows come
// into sight; what lies outside is two empty stretches above and below.
import { Component, createRef, type RefObject } from "preact";
import { IconButton } from "../parts/icon";
import { RowView } from "../rows/row";
import { isShown, outermost } from "../state/rows";
import type { Row, Session } from "../state/model";
import type { Store } from "../store";
import { t } from "../strings";
import { Heights } from "./heights";

interface Props {
  store: Store;
  session: Session;
  /** Where whoever has the list around finds it: of a component, `ref` is a prop like any other. */
  self: RefObject<List | null>;
}

/** Drawn beyond the edges, so that a flick of the wheel meets no gap. */
const BEYOND = 600;
/** This near to the end counts as the end. */
const NEAR = 24;

const LETTERS_PER_LINE = 60;
const LINE = 20;

const GUESSES: Record<Row["kind"], number> = {
  prompt: 64,
  prose: 56,
  code: 160,
  thought: 24,
  tool: 24,
  edits: 96,
  question: 140,
  note: 24,
  sources: 32,
  commandAnswer: 120,
  error: 120,
};

export class List extends Component<Props> {
  private readonly scroller = createRef<HTMLDivElement>();
  private readonly content = createRef<HTMLDivElement>();
  private heights = new Heights();
  private shownRows: Row[] = [];
  private first = 0;
  private end = 0;
  private pinned = true;
  private epoch = -1;
  private observer: ResizeObserver | undefined;
  private width = 0;

  override componentDidMount(): void {
    this.props.self.current = this;
    this.observer = new ResizeObserver(() => this.settle());
    if (this.content.current) this.observer.observe(this.content.current);
    if (this.scroller.current) this.observer.observe(this.scroller.current);
    this.settle();
  }

  override componentDidUpdate(): void {
    this.settle();
  }

  override componentWillUnmount(): void {
    this.observer?.disconnect();
    if (this.props.self.current === this) this.props.self.current = null;
  }

  /** Walks from prompt to prompt. */
  walk(step: -1 | 1): void {
    const scroller = this.scroller.current;
    if (!scroller) return;
    const here = this.rowOfFocus() ?? this.heights.find(scroller.scrollTop + 1);
    for (let place = here + step; place >= 0 && place < this.shownRows.length; place += step) {
      const row = this.shownRows[place];
      if (row?.kind !== "prompt") continue;
      this.pinned = false;
      scroller.scrollTop = this.heights.before(place);
      this.forceUpdate(() => {
        this.settle();
        this.content.current?.querySelector<HTMLElement>(`[data-row="${place}"]`)?.focus({ preventScroll: true });
      });
      return;
    }
    if (step === 1) this.toEnd();
  }

  toEnd = (): void => {
    this.pinned = true;
    this.settle();
    this.forceUpdate();
  };

  /** Makes sure that a row is on the page, or what it stands inside. */
  reveal(row: Row, then: () => void): void {
    const place = this.shownRows.indexOf(outermost(row));
    const scroller = this.scroller.current;
    if (place === -1 || !scroller) return then();
    const top = this.heights.before(place);
    const inside = top >= scroller.scrollTop && top + this.heights.at(place) <= scroller.scrollTop + scroller.clientHeight;
    const drawn = place >= this.first && place < this.end;
    if (drawn && (inside || this.pinned)) return then();
    this.pinned = false;
    scroller.scrollTop = top;
    this.forceUpdate(() => {
      this.settle();
      then();
    });
  }

  private rowOfFocus(): number | undefined {
    const focused = document.activeElement?.closest<HTMLElement>("[data-row]");
    return focused?.dataset["row"] === undefined ? undefined : Number(focused.dataset["row"]);
  }

  /** Brings the list of rows up to date. Rows are only ever added at the end, taken from the end, or hidden. */
  private sync(): void {
    const { store, session } = this.props;
    if (this.epoch !== store.epoch) {
      this.epoch = store.epoch;
      this.heights = new Heights();
      this.shownRows = [];
      this.pinned = store.kept.place === undefined;
    }
    const rows = session.rows;
    // Equal up to the shorter end, unless the conversation was rewound.
    while (this.shownRows.length > rows.length || !same(this.shownRows, rows)) this.shownRows.pop();
    this.heights.truncate(this.shownRows.length);
    for (let place = this.shownRows.length; place < rows.length; place += 1) {
      const row = rows[place];
      if (!row) break;
      this.shownRows.push(row);
      this.heights.push(isShown(row) ? guess(row) : 0);
    }
  }

  private visibleRange(): void {
    const scroller = this.scroller.current;
    const height = scroller?.clientHeight ?? 800;
    const top = this.pinned ? Math.max(0, this.heights.total - height) : (scroller?.scrollTop ?? 0);
    this.first = this.heights.find(Math.max(0, top - BEYOND));
    this.end = this.shownRows.length === 0 ? 0 : this.heights.find(top + height + BEYOND) + 1;
  }

  /** After drawing: measure what is on the page and keep the place. */
  private settle(): void {
    const scroller = this.scroller.current;
    const content = this.content.current;
    if (!scroller || !content) return;
    this.width = scroller.clientWidth;
    if (this.width === 0) return;
    const top = scroller.scrollTop;
    let above = 0;
    let changed = false;
    for (const element of content.children) {
      if (!(element instanceof HTMLElement)) continue;
      const place = Number(element.dataset["row"]);
      const height = element.offsetHeight;
      const known = this.heights.at(place);
      if (height === known) continue;
      changed = true;
      // What grows above the first visible line must not push it down.
      if (this.heights.before(place) + known <= top) above += height - known;
      this.heights.set(place, height);
    }
    this.pad(content);
    if (this.pinned) scroller.scrollTop = scroller.scrollHeight;
    else if (above !== 0) scroller.scrollTop = top + above;
    if (changed && !this.covers(scroller)) this.forceUpdate();
    this.restore(scroller);
  }

  private pad(content: HTMLElement): void {
    const before = this.heights.before(this.first);
    content.style.paddingTop = `${before}px`;
    content.style.paddingBottom = `${Math.max(0, this.heights.total - this.heights.before(this.end))}px`;
  }

  private covers(scroller: HTMLElement): boolean {
    const from = this.heights.before(this.first);
    const to = this.heights.before(this.end);
    const top = scroller.scrollTop;
    return (
      (from <= top || this.first === 0) && (to >= top + scroller.clientHeight || this.end >= this.shownRows.length)
    );
  }

  /** Once, when the view comes back: to where it was. */
  private restore(scroller: HTMLElement): void {
    const { store, session } = this.props;
    const place = store.kept.place;
    if (place === undefined || this.pinned || session.rows.length <= place.row || scroller.dataset["restored"] === String(this.epoch)) return;
    scroller.dataset["restored"] = String(this.epoch);
    scroller.scrollTop = this.heights.before(place.row) + place.offset;
  }

  /** At once: a browser's glide to the start ends at the first row on the way that turns out higher than guessed. */
  private readonly onKeyDown = (event: KeyboardEvent): void => {
    const scroller = this.scroller.current;
    if (!scroller || event.target !== scroller || event.altKey || event.shiftKey) return;
    if (event.key === "End") this.toEnd();
    else if (event.key === "Home") scroller.scrollTop = 0;
    else return;
    event.preventDefault();
  };

  private readonly onScroll = (): void => {
    const scroller = this.scroller.current;
    if (!scroller) return;
    const pinned = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight <= NEAR;
    const moved = pinned !== this.pinned;
    this.pinned = pinned;
    this.remember(scroller);
    if (moved || !this.covers(scroller)) this.props.store.redraw();
  };

  private remember(scroller: HTMLElement): void {
    if (this.pinned) {
      if (this.props.store.kept.place !== undefined) this.props.store.keep({ place: undefined });
      return;
    }
    const row = this.heights.find(scroller.scrollTop);
    this.props.store.keep({ place: { row, offset: Math.round(scroller.scrollTop - this.heights.before(row)) } });
  }

  override render({ store }: Props) {
    this.sync();
    this.visibleRange();
    const drawn = [];
    for (let place = this.first; place < this.end; place += 1) {
      const row = this.shownRows[place];
      if (!row) continue;
      if (!isShown(row)) {
        this.heights.set(place, 0);
        continue;
      }
      drawn.push(
        <div key={row.key} data-row={place} class={`row row-${row.kind}`} role="article" tabIndex={row.kind === "prompt" ? -1 : undefined}>
          <RowView
            row={row}
            version={row.version}
            store={store}
            open={store.isOpen(row.key)}
            answering={row.kind === "question" && store.answering.has(row.question.number)}
          />
        </div>,
      );
    }
    return (
      <div class="list">
        <div ref={this.scroller} class="scroller" onScroll={this.onScroll} onKeyDown={this.onKeyDown} role="feed" aria-label={t("turns")} tabIndex={0}>
          <div ref={this.content} class="rows">
            {drawn}
          </div>
        </div>
        {!this.pinned && (
          <div class="to-end">
            <IconButton icon="arrow-down" label={t("toEnd")} onClick={this.toEnd} />
          </div>
        )}
      </div>
    );
  }
}

/** Near enough that not many more rows are drawn than are seen. */
function guess(row: Row): number {
  if (row.kind !== "prose") return GUESSES[row.kind];
  return Math.max(GUESSES.prose, Math.ceil(row.text.length / LETTERS_PER_LINE) * LINE);
}

/** Rows are the same objects as long as they are there, so the last one tells of all before it. */
function same(shown: Row[], rows: Row[]): boolean {
  const last = shown.length - 1;
  return last < 0 || shown[last] === rows[last];
}
