// Adding rows, and telling the view that one has changed.
import type { Row, Session, ToolRow } from "./model";

type Base = "key" | "turn" | "version" | "within";
type Own<R extends Row> = Omit<R, Base>;

/** Where a row belongs, if that is not the end of the conversation. */
interface Place {
  turn?: number;
  within?: ToolRow | undefined;
}

/** What every row begins with. */
function base(session: Session, { turn, within }: Place): Pick<Row, Base> {
  const last = session.rows.at(-1);
  return {
    key: session.index.nextKey++,
    turn: turn ?? session.running ?? last?.turn ?? 0,
    version: 0,
    within,
  };
}

export function add<R extends Row>(session: Session, own: Own<R>, place: Place = {}): R {
  // `Own` takes away exactly what `base` gives; the compiler cannot see that through a type parameter.
  const row = { ...base(session, place), ...own } as unknown as R;
  (place.within?.inside ?? session.rows).push(row);
  if (place.within) touch(place.within);
  return row;
}

/** Whatever a row stands inside is drawn again with it. */
export function touch(row: Row): void {
  for (let one: Row | undefined = row; one; one = one.within) one.version += 1;
}

/** The row of the conversation that a row stands inside, or is. */
export function outermost(row: Row): Row {
  let one = row;
  while (one.within) one = one.within;
  return one;
}

export function isShown(row: Row): boolean {
  if (row.kind === "tool") return !row.replaced;
  // How an edit was answered is seen in the card of its file.
  if (row.kind === "question") return !(row.question.kind === "edit" && row.state === "answered" && row.conflict === "none");
  return !(isProse(row) && !row.open && row.text.trim() === "");
}

function isProse(row: Row): row is Extract<Row, { kind: "prose" | "code" }> {
  return row.kind === "prose" || row.kind === "code";
}

/** The last row that can be seen, of the conversation or of a sub-agent. */
export function lastShown(session: Session, within?: ToolRow): Row | undefined {
  return (within?.inside ?? session.rows).findLast(isShown);
}

export function countLines(text: string): number {
  if (text === "") return 0;
  let lines = 0;
  for (let place = text.indexOf("\n"); place !== -1; place = text.indexOf("\n", place + 1)) lines += 1;
  return text.endsWith("\n") ? lines : lines + 1;
}
