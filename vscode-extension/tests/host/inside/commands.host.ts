// Each command in a window where nothing is open and nothing waits: it does what it says, or says why not.
import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import * as vscode from "vscode";
import { required } from "../../e2e/processes";
import { test } from "./suite";
import { becomes, run, tells, until } from "./window";

/** What a person is told by each. */
const ANSWERS: Record<string, RegExp> = {
  keepHunk: /There is no change of the agent in this line/,
  rejectHunk: /There is no change of the agent in this line/,
  keepMine: /There is no change of the agent in this line/,
  takeTheirs: /There is no change of the agent in this line/,
  commentHunk: /There is no change of the agent in this line/,
  keepFile: /No file is open/,
  rejectFile: /No file is open/,
  openOriginal: /No file is open/,
  nextHunk: /Nothing is left to review/,
  previousHunk: /Nothing is left to review/,
  reviewAll: /Nothing is left to review/,
};

for (const [command, words] of Object.entries(ANSWERS)) {
  test(`${command} says that there is nothing to do it to`, () => tells(words, () => run(command)));
}
