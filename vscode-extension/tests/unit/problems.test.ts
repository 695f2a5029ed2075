import assert from "node:assert/strict";
import { test } from "node:test";
import { changesSince, type EditorState } from "../../src/server/editorChanges";
import { chosenProblems, MOST_PROBLEMS } from "../../src/server/problems";
import type { EditorProblem } from "../../src/protocol";

const problem = (uri: string, line: number, severity: EditorProblem["severity"]): EditorProblem => ({ uri, line, severity, message: "m" });

test("errors of the file in front come first, and no more than the server takes", () => {
  const many = Array.from({ length: 80 }, (_, line) => problem("file:///b", line, "warning"));
  const chosen = chosenProblems([...many, problem("file:///b", 3, "error"), problem("file:///a", 9, "warning"), problem("file:///a", 7, "error")], "file:///a");
  assert.equal(chosen.length, MOST_PROBLEMS);
  assert.deepEqual(
    chosen.slice(0, 4).map(({ uri, line, severity }) => `${uri} ${line} ${severity}`),
    ["file:///a 7 error", "file:///a 9 warning", "file:///b 3 error", "file:///b 0 warning"],
  );
});

test("a message is cut, and the same problems in another order are no change", () => {
  const long = { ...problem("file:///a", 1, "error"), message: "x".repeat(9_000) };
  assert.equal(chosenProblems([long], undefined)[0]?.message.length, 2_000);
  const one = problem("file:///a", 1, "error");
  const two = problem("file:///a", 2, "error");
  const state = (problems: EditorProblem[]): EditorState => ({
    activeFile: null,
    openFiles: [],
    trusted: true,
    diagnostics: [],
    problems: chosenProblems(problems, undefined),
  });
  assert.equal(changesSince(state([one, two]), state([two, one])), undefined);
  assert.deepEqual(changesSince(state([one]), state([one, two])), { problems: [one, two] });
});
