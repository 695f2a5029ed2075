// What waits for a person.
import type { ApprovalAnswer, HunkDecision } from "../../src/protocol";
import type { Question, QuestionRow, Session } from "./model";
import { add, touch } from "./rows";

export function ask(session: Session, question: Question): void {
  const row = add<QuestionRow>(session, { kind: "question", question, state: "waiting", answer: undefined });
  session.questions.push(row);
}

export function answered(session: Session, number: number, answer: ApprovalAnswer | undefined): void {
  const place = session.questions.findIndex((row) => row.question.number === number);
  const row = session.questions[place];
  if (!row) return;
  session.questions.splice(place, 1);
  row.answer = answer;
  row.state = answer ? "answered" : "dropped";
  touch(row);
}

/** A proposed edit is decided hunk by hunk, which is said as one answer here. */
export function answerOf(decisions: HunkDecision[]): ApprovalAnswer {
  return decisions.includes("keep") ? { kind: "allow" } : { kind: "deny" };
}

export function dropAll(session: Session): void {
  for (const row of [...session.questions]) answered(session, row.question.number, undefined);
}
