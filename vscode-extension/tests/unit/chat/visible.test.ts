import assert from "node:assert/strict";
import { test } from "node:test";
import { shortPath } from "../../../webview/words/paths";
import { lastLines, outputLines, visible, wholeWords } from "../../../webview/words/visible";

test("colours, titles and links of terminals are gone", () => {
  assert.equal(visible("\u001b[31mred\u001b[0m \u001b]0;title\u0007\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\ \u001b(B."), "red link .");
});

test("marks that reorder or hide text are shown by their number", () => {
  assert.equal(visible("a\u202eb\u2066c\u200bd\u{e0041}"), "a⟨U+202E⟩b⟨U+2066⟩c⟨U+200B⟩d⟨U+E0041⟩");
});

test("emoji and ordinary text in any script stay as they are", () => {
  const text = "né 漢字 👩\u200d💻 עברית\tx\n";
  assert.equal(visible(text), text);
});

test("a progress bar is shown as it ended", () => {
  assert.deepEqual(outputLines("10 %\r50 %\r100 %\r\ndone\n").lines, ["100 %", "done"]);
});

test("a huge line is cut, and one knows that it was", () => {
  const cut = outputLines("x".repeat(1_000_000));
  assert.ok(cut.shortened);
  assert.equal(cut.lines[0]?.length, 1_001);
});

test("the last lines of much output are found without reading it all", () => {
  const text = Array.from({ length: 100_000 }, (_, place) => `line ${place}`).join("\n");
  assert.deepEqual(lastLines(text, 2).lines, ["line 99998", "line 99999"]);
});

test("a word that is being written waits, a script without spaces does not", () => {
  assert.equal(wholeWords("the retry cou"), "the retry ");
  assert.equal(wholeWords("再試行カウ"), "再試行カウ");
  assert.equal(wholeWords(`see ${"x".repeat(60)}`), `see ${"x".repeat(60)}`);
});

test("a path is said from the workspace's folder on", () => {
  const folders = ["/home/ada/project", "/home/ada/other"];
  assert.equal(shortPath("/home/ada/project", folders), "project");
  assert.equal(shortPath("/home/ada/project/", folders), "project");
  assert.equal(shortPath("/home/ada/other/src", folders), "src");
  assert.equal(shortPath("/home/ada/projectile", folders), "/home/ada/projectile");
  assert.equal(shortPath("upload/", folders), "upload/");
});
