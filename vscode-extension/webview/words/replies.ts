// What is said to the questions of a form: what stands there already counts until somebody changes it.
import type { UserQuestion } from "../../src/protocol";

/** What was typed or chosen, by the question's number from zero. */
export type Typed = Record<string, string>;

export function shownReply(question: UserQuestion, place: number, typed: Typed): string {
  return typed[place] ?? question.default ?? "";
}

/** Whether every question that wants an answer has one. */
export function isComplete(questions: UserQuestion[], typed: Typed): boolean {
  return questions.every((question, place) => question.optional || shownReply(question, place, typed).trim() !== "");
}

/** What is sent. An empty reply says that something was taken out; where nothing stood, there is none. */
export function repliesOf(questions: UserQuestion[], typed: Typed): Record<string, string> {
  const replies: Record<string, string> = {};
  questions.forEach((question, place) => {
    const reply = shownReply(question, place, typed);
    if (reply.trim() !== "" || typeof question.default === "string") replies[place] = reply;
  });
  return replies;
}
