import assert from "node:assert/strict";
import { test } from "node:test";
import { sentComments } from "../../../webview/words/comments";

const ONE = '\n<comment path="src/a.rs" line="3">\n>     let x = 1;\nwhy\nnot two?\n</comment>\n';
const HEAD = "The person commented on these lines:\n";

test("comments that were sent are read back", () => {
  const expected = { path: "src/a.rs", line: 3, quoted: "let x = 1;", text: "why\nnot two?" };
  assert.deepEqual(sentComments(HEAD + ONE), [expected]);
  assert.deepEqual(sentComments((HEAD + ONE + ONE).trimEnd()), [expected, expected]);
});

test("a prompt that is something else, or more, stays as it is", () => {
  assert.equal(sentComments("why?"), undefined);
  assert.equal(sentComments(ONE), undefined);
  assert.equal(sentComments(HEAD), undefined);
  assert.equal(sentComments(`${HEAD}${ONE}and another thing`), undefined);
});
