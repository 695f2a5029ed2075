import assert from "node:assert/strict";
import { test } from "node:test";
import { commonIndent } from "../../../webview/words/indent";

test("the common indentation is what every line with words begins with", () => {
  assert.equal(commonIndent(["    a", "  b", "", "   "]), "  ");
  assert.equal(commonIndent(["\ta", "  b"]), "", "a tab is not two blanks");
  assert.equal(commonIndent(["a", "  b"]), "");
  assert.equal(commonIndent(["", "  "]), "");
});
