// The problems that go to the server: a bounded choice, the likeliest first. Pure, so that it is tested without an editor.
import type { EditorProblem } from "../protocol";

/** The server takes no more. */
export const MOST_PROBLEMS = 50;
/** Nobody reads more of one, and the server cuts it anyway. */
const LONGEST_MESSAGE = 2_000;

/** Errors before warnings, and those of the file that is looked at before others. */
export function chosenProblems(problems: readonly EditorProblem[], activeUri: string | undefined): EditorProblem[] {
  const rank = ({ uri, severity }: EditorProblem): number => (uri === activeUri ? 0 : 2) + (severity === "error" ? 0 : 1);
  return problems
    .map((problem) => ({ ...problem, message: problem.message.slice(0, LONGEST_MESSAGE) }))
    .sort((one, other) => rank(one) - rank(other) || compare(one.uri, other.uri) || one.line - other.line || compare(one.message, other.message))
    .slice(0, MOST_PROBLEMS);
}

function compare(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1;
}
