import assert from "node:assert/strict";
import { says, writes } from "../model";
import { scenario } from "../scenario";
import { THEMES } from "../workbench";

const OLD = "fn upload(file: &File) {\n    let mut tries = 0;\n    loop {\n        send(file);\n    }\n}\n";
const NEW = OLD.replace("    loop {\n", "    while tries < LIMIT {\n        tries += 1;\n");

const setup = {
  files: { "src/upload.rs": OLD, "src/retry.rs": "// nothing yet\n" },
  replies: [writes("src/upload.rs", NEW), writes("src/retry.rs", "pub const LIMIT: u32 = 3;\n"), says("done"), says("I will")],
  settings: { "workbench.colorTheme": THEMES.light },
};

scenario("a file and a whole turn are compared with the original, and a comment reaches the model", setup, async (workbench) => {
  const { page } = workbench;
  await workbench.openFile("upload.rs", "src/upload.rs");
  const door = await workbench.door();
  await door.prompt("stop retrying for ever");
  await door.turnEnd();
  await workbench.status("2 to review").waitFor();
  await page.getByRole("button", { name: "Compare with Original" }).click();
  const original = page.locator(".monaco-diff-editor .editor.original .view-lines");
  await original.getByText("loop").first().waitFor();
  await workbench.picture("compare-file");

  await workbench.run("Pollux: Review All Changes");
  await page.locator(".multiDiffEntry").nth(1).waitFor();
  await workbench.picture("compare-all");
  await page.keyboard.press("Control+w");
  await page.keyboard.press("Control+w");

  await workbench.openFile("upload.rs", "src/upload.rs");
  await workbench.lens("Comment").first().click();
  const box = page.locator(".review-widget .monaco-editor textarea, .review-widget .native-edit-context").first();
  await box.waitFor({ state: "attached" });
  await page.keyboard.type("count from one");
  await page.getByRole("button", { name: "Add Comment" }).click();
  await page.locator(".review-widget .comment-body", { hasText: "count from one" }).waitFor();
  await workbench.picture("comment");
  await workbench.run("Pollux: Send Comments to the Agent");
  await door.heard((event) => event.kind === "turnEnded" && event.turn === 2);
  assert.match(workbench.model?.asked ?? "", /count from one/);
});
