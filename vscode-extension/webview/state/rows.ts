// Adding rows, and telling the view that one has changed.
import type { Row, Session } from "./model";

type Own<R extends Row> = Omit<R, "key" | "turn" | "version" | "depth">;

/** What every row begins with. */
export function base(session: Session, turn?: number): { key: number; turn: number; version: number; depth: number } {
  const last = session.rows.at(-1);
  return {
    key: session.index.nextKey++,
    turn: turn ?? session.running ?? last?.turn ?? 0,
    version: 0,
    depth: 0,
  };
}

export function add<R extends Row>(session: Session, own: Own<R>, turn?: number): R {
  // `Own` takes away exactly what `base` gives; the compiler cannot see that through a type parameter.
  const row = { ...base(session, turn), ...own } as unknown as R;
  session.rows.push(row);
  return row;
}

export function touch(row: Row): void {
  row.version += 1;
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

/** The last row that can be seen. */
export function lastShown(session: Session): Row | undefined {
  for (let place = session.rows.length - 1; place >= 0; place -= 1) {
    const row = session.rows[place];
    if (row && isShown(row)) return row;
  }
  return undefined;
}

export function countLines(text: string): number {
  if (text === "") return 0;
  let lines = 0;
  for (let place = text.indexOf("\n"); place !== -1; place = text.indexOf("\n", place + 1)) lines += 1;
  return text.endsWith("\n") ? lines : lines + 1;
}
