// What is said to the questions of a form: what stands there already counts until somebody changes it.
import type { QuestionReply, UserQuestion } from "../../src/protocol";

/** What was typed or chosen, by the question's number from zero. */
export type Typed = Record<string, QuestionReply>;

export function shownReply(question: UserQuestion, place: number, typed: Typed): QuestionReply {
  return typed[place] ?? question.default ?? "";
}

/** The labels that are switched on. A label may have any character in it, so they are never joined. */
export function chosenIn(reply: QuestionReply): string[] {
  return typeof reply === "string" ? [reply] : reply;
}

/** Switches one of several choices on or off. */
export function toggled(reply: QuestionReply, label: string): string[] {
  const chosen = chosenIn(reply).filter((other) => other !== "");
  return chosen.includes(label) ? chosen.filter((other) => other !== label) : [...chosen, label];
}

/** A reply for a person to read. */
export function replyWords(reply: QuestionReply): string {
  return chosenIn(reply).join(", ");
}

/** Whether every question that wants an answer has one. */
export function isComplete(questions: UserQuestion[], typed: Typed): boolean {
  return questions.every((question, place) => question.optional || !isEmpty(shownReply(question, place, typed)));
}

/** What is sent. An empty reply says that something was taken out; where nothing stood, there is none. */
export function repliesOf(questions: UserQuestion[], typed: Typed): Record<string, QuestionReply> {
  const replies: Record<string, QuestionReply> = {};
  questions.forEach((question, place) => {
    const reply = shownReply(question, place, typed);
    const stood = question.default !== undefined && question.default !== null;
    if (!isEmpty(reply) || stood) replies[place] = reply;
  });
  return replies;
}

function isEmpty(reply: QuestionReply): boolean {
  return replyWords(reply).trim() === "";
}
