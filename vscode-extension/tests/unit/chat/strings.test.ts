import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { ENGLISH, speak, t } from "../../../webview/strings";

test("a sentence is said in the language of the editor, with its values", () => {
  speak({ steps: "{0} von {1} Schritten" });
  assert.equal(t("steps", 2, 3), "2 von 3 Schritten");
  assert.equal(t("send"), "Send");
  speak({});
});

test("every sentence of the view is in the bundle that translators get", () => {
  const bundle = JSON.parse(readFileSync("l10n/bundle.l10n.json", "utf8")) as Record<string, unknown>;
  const missing = Object.values(ENGLISH).filter((english) => !(english in bundle));
  assert.deepEqual(missing, [], "run `npm run l10n`");
});
