// What waits for a person.
import type { ApprovalAnswer, HunkDecision } from "../../src/protocol";
import type { Question, QuestionRow, Session } from "./model";
import { add, touch } from "./rows";

export function ask(session: Session, question: Question): void {
  const row = add<QuestionRow>(
    session,
    { kind: "question", question, state: "waiting", answer: undefined, by: undefined, open: undefined, decisions: new Map(), conflict: "none" },
    { within: session.index.calls.get(callOf(question))?.within },
  );
  session.questions.push(row);
  session.index.asked.set(question.number, row);
  touchCall(session, question);
}

/** Whether a call can be stopped depends on whether it waits for an answer. */
function touchCall(session: Session, question: Question): void {
  const call = session.index.calls.get(callOf(question));
  if (call) touch(call);
}

/** The call that waits for the answer. */
export function callOf(question: Question): string {
  return (question.kind === "edit" ? question.edit.call : question.request.call) ?? "";
}

export function answered(session: Session, number: number, answer: ApprovalAnswer | undefined, by?: string): void {
  const place = session.questions.findIndex((row) => row.question.number === number);
  const row = session.questions[place];
  if (!row) return;
  session.questions.splice(place, 1);
  row.answer = answer;
  row.by = by;
  row.state = answer ? "answered" : "dropped";
  touch(row);
  touchCall(session, row.question);
}

/** A proposed edit is decided hunk by hunk, which is said as one answer here. */
export function editAnswered(session: Session, number: number, decisions: HunkDecision[], by?: string): void {
  const row = session.questions.find((one) => one.question.number === number);
  if (row) row.decisions = new Map(decisions.entries());
  answered(session, number, decisions.includes("keep") ? { kind: "allow" } : { kind: "deny" }, by);
}

/** Some hunks of an edit were decided elsewhere, or are open again. */
export function hunksOpen(session: Session, number: number, open: number[]): void {
  const row = session.questions.find((one) => one.question.number === number);
  if (!row) return;
  row.open = new Set(open);
  touch(row);
}

/** What was decided here did not get through: whatever is still open can be decided again. */
export function openAgain(session: Session): void {
  for (const row of session.questions) {
    for (const hunk of row.decisions.keys()) if (row.open?.has(hunk) !== false) row.decisions.delete(hunk);
    touch(row);
  }
}

/** The hunks of an edit that can still be decided. */
export function openHunks({ question, open, decisions }: QuestionRow): number[] {
  if (question.kind !== "edit") return [];
  return [...question.edit.hunks.keys()].filter((hunk) => !decisions.has(hunk) && open?.has(hunk) !== false);
}

export function dropAll(session: Session): void {
  for (const row of [...session.questions]) answered(session, row.question.number, undefined);
}
