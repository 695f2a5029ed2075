import assert from "node:assert/strict";
import { replaces, says, writes } from "../model";
import { scene } from "../scenario";

const OLD = "fn upload(file: &File) {\n    let mut tries = 0;\n    loop {\n        send(file);\n    }\n}\n";
const NEW = OLD.replace("    loop {\n", "    while tries < LIMIT {\n        tries += 1;\n");

const RETRY = {
  asks: "stop retrying for ever",
  files: { "compare/upload.rs": OLD, "compare/retry.rs": "// nothing yet\n" },
  replies: [
    writes("compare/upload.rs", NEW),
    writes("compare/retry.rs", "pub const LIMIT: u32 = 3;\n"),
    says("It stops now."),
    says("I will count from one."),
  ],
};

scene("a file and a whole turn are compared with the original, and a comment reaches the model", RETRY, async (workbench) => {
  const { page } = workbench;
  await workbench.openFile("upload.rs", "compare/upload.rs");
  await workbench.openChat();
  await workbench.chooseMode("Auto edit");
  await workbench.ask(RETRY.asks);
  await workbench.said("It stops now.");
  await workbench.status("2 to review").waitFor();
  await page.getByRole("button", { name: "Compare with Original" }).click();
  const original = page.locator(".monaco-diff-editor .editor.original .view-lines");
  await original.getByText("loop").first().waitFor();
  await workbench.picture("compare-file");

  await workbench.run("Pollux: Review All Changes");
  await page.locator(".multiDiffEntry").nth(1).waitFor();
  await workbench.picture("compare-all");
  await workbench.run("View: Close All Editors");

  await workbench.openFile("upload.rs", "compare/upload.rs");
  await workbench.lens("Comment").first().click();
  const box = page.locator(".review-widget .monaco-editor textarea, .review-widget .native-edit-context").first();
  await box.waitFor({ state: "attached" });
  await page.keyboard.type("count from one");
  await page.getByRole("button", { name: "Add Comment" }).click();
  await page.locator(".review-widget .comment-body", { hasText: "count from one" }).waitFor();
  await workbench.picture("comment");
  const before = workbench.model?.requests(RETRY.asks).length ?? 0;
  await workbench.run("Pollux: Send Comments to the Agent");
  await workbench.said("I will count from one.");
  const next = workbench.model?.requests(RETRY.asks)[before] ?? "";
  assert.match(next, /count from one/, "the very next request has it");
  assert.match(next, /upload\.rs/);
  // What was sent is done with: it closes, and says so when it is opened again.
  await page.locator(".review-widget").waitFor({ state: "hidden" });
  await workbench.picture("comment-sent");
});

const LATE = {
  asks: "shorten the greeting",
  files: { "late/greeting.txt": "hello there\nand goodbye\n" },
  replies: [replaces("late/greeting.txt", "hello there", "hello"), says("It is shorter."), says("I leave the greeting alone.")],
};

scene("a comment that was not sent is still there when the last hunk is rejected, and reaches the model", LATE, async (workbench) => {
  const { page } = workbench;
  await workbench.openFile("greeting.txt", "late/greeting.txt");
  await workbench.openChat();
  await workbench.chooseMode("Auto edit");
  await workbench.ask(LATE.asks);
  await workbench.said("It is shorter.");
  await workbench.lens("Comment").first().click();
  await page.locator(".review-widget .monaco-editor textarea, .review-widget .native-edit-context").first().waitFor({ state: "attached" });
  await page.keyboard.type("people like it long");
  await page.getByRole("button", { name: "Add Comment" }).click();
  const written = page.locator(".review-widget .comment-body", { hasText: "people like it long" });
  await written.waitFor();
  await workbench.lens("Reject").click();
  await workbench.status(/to review/).waitFor({ state: "detached" });
  await workbench.saved("late/greeting.txt", LATE.files["late/greeting.txt"]);
  await written.waitFor();
  await workbench.picture("comment-without-hunk");
  await workbench.run("Pollux: Send Comments to the Agent");
  await workbench.said("I leave the greeting alone.");
  assert.match(workbench.model?.requests(LATE.asks).at(-1) ?? "", /people like it long/);
  await written.waitFor({ state: "hidden" });
});
