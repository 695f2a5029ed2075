// Cuts the stream of an answer into rows as it comes: a paragraph, a list, a block of code each. A row that is
// finished never changes again, so only the last one has to be read as Markdown while text streams in.
//
// The cuts depend on the text alone and not on the pieces in which it arrived.
import type { ProseRow, Session } from "./model";
import { add, touch } from "./rows";

/** A paragraph or list that grows beyond this ends at the next line; a line that does, in the middle. */
const LONGEST = 8_000;

const FENCE = /^( *)(`{3,}|~{3,})[ \t]*([^`]*)$/;
/** Lines that go on with what stood before a blank line: lists, quotes, tables and anything indented. */
const GOES_ON = /^(\s|[-*+]\s|\d{1,9}[.)]\s|>|\|)/;

/** Letters that begin neither such a line nor a fence: what follows is known before its line is complete. */
const SURELY_NEW = /^[^\s\-*+>|\d`~]/;

export function write(session: Session, text: string): void {
  let from = 0;
  for (;;) {
    const end = text.indexOf("\n", from);
    const piece = end === -1 ? text.slice(from) : text.slice(from, end);
    if (piece !== "") grow(session, piece);
    if (end === -1) break;
    endLine(session);
    from = end + 1;
  }
  if (session.index.writing) touch(session.index.writing);
}

/** Nothing more comes for this piece of the answer. */
export function finishWriting(session: Session): void {
  const row = session.index.writing;
  if (!row) return;
  if (row.tail !== "") {
    const tail = row.tail.replace(/\r$/, "");
    row.tail = "";
    if (!(row.kind === "code" && closes(tail, session.index.fence))) row.text += tail;
  }
  close(session, row);
  session.index.nestedFence = "";
}

function close(session: Session, row: ProseRow): void {
  row.open = false;
  session.index.writing = undefined;
  session.index.afterBlank = false;
  touch(row);
}

function begin(session: Session, kind: ProseRow["kind"], language: string): ProseRow {
  const row = add<ProseRow>(session, { kind, language, text: "", tail: "", open: true });
  session.index.writing = row;
  session.index.afterBlank = false;
  return row;
}

function grow(session: Session, piece: string): void {
  let rest = piece;
  while (rest !== "") {
    let row = session.index.writing ?? begin(session, "prose", "");
    if (row.tail === "" && row.text !== "" && isApart(session, row) && SURELY_NEW.test(rest)) {
      close(session, row);
      row = begin(session, "prose", "");
    }
    const room = LONGEST - row.tail.length;
    row.tail += rest.slice(0, room);
    rest = rest.slice(room);
    if (row.tail.length >= LONGEST) breakLine(session, row);
  }
}

/** One endless line: its row ends here, and the line goes on in the next. */
function breakLine(session: Session, row: ProseRow): void {
  row.text += row.tail;
  row.tail = "";
  if (row.kind === "code") return;
  close(session, row);
  begin(session, "prose", "");
}

function endLine(session: Session): void {
  const index = session.index;
  const row = index.writing;
  // Blank lines between rows are what separates them.
  if (!row) return;
  const line = row.tail.replace(/\r$/, "");
  row.tail = "";
  if (row.kind === "code") {
    if (closes(line, index.fence)) close(session, row);
    else row.text += `${line}\n`;
    return;
  }
  endProseLine(session, row, line);
}

function endProseLine(session: Session, row: ProseRow, line: string): void {
  const index = session.index;
  if (index.nestedFence !== "") {
    if (closes(line.trimStart(), index.nestedFence)) index.nestedFence = "";
    row.text += `${line}\n`;
    return;
  }
  if (line.trim() === "") {
    index.afterBlank = true;
    row.text += "\n";
    return;
  }
  const fence = FENCE.exec(line);
  if (fence?.[1] !== undefined && fence[1].length <= 3) {
    close(session, row);
    index.fence = fence[2] ?? "```";
    begin(session, "code", (fence[3] ?? "").trim().split(/\s/)[0] ?? "");
    return;
  }
  let target = row;
  const isNew = isApart(session, row) && !GOES_ON.test(line);
  if (row.text !== "" && (isNew || row.text.length > LONGEST)) {
    close(session, row);
    target = begin(session, "prose", "");
  }
  if (fence) index.nestedFence = fence[2] ?? "";
  index.afterBlank = false;
  target.text += `${line}\n`;
}

/** Whether a blank line separates what comes now. */
function isApart({ index }: Session, row: ProseRow): boolean {
  return row.kind === "prose" && index.afterBlank && index.nestedFence === "";
}

function closes(line: string, fence: string): boolean {
  const stripped = line.trimEnd().replace(/^ {0,3}/, "");
  const mark = fence[0] ?? "`";
  return stripped.length >= fence.length && stripped === mark.repeat(stripped.length);
}
