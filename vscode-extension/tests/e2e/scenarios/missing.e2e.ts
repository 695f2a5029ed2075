// Files that are not on the disk: those that are only proposed, and those that the agent has removed.
import { replaces, runs, says, writes } from "../model";
import { scene } from "../scenario";

const LINES = Array.from({ length: 60 }, (_, place) => `line ${place + 1} of the plan\n`);
const MADE = {
  asks: "propose a plan of sixty lines",
  files: {},
  replies: [writes("missing/plan.txt", LINES.join("")), says("The plan is there.")],
};

scene("all of a proposed new file can be read before it is allowed, and decided where it is read", MADE, async (workbench) => {
  const { page } = workbench;
  await workbench.openChat();
  await workbench.ask(MADE.asks);
  const question = workbench.chat().locator(".question[data-armed=true]", { hasText: "plan.txt" });
  await question.getByRole("button", { name: /Show all/ }).click();
  await page.locator(".tab.active", { hasText: "plan.txt" }).waitFor();
  await workbench.lens("1 of 1").waitFor();
  await workbench.picture("new-file-read");
  await page.keyboard.press("Control+End");
  await workbench.editor.getByText("line 60 of the plan").waitFor();
  await question.getByRole("button", { name: "Line 1", exact: true }).click();
  await workbench.status("Ln 1, Col 1").waitFor();

  await page.getByRole("button", { name: "Compare with Original" }).click();
  const proposed = page.locator(".monaco-diff-editor .editor.modified");
  await proposed.getByText("line 7 of the plan").waitFor();
  await workbench.picture("new-file-compared");
  await proposed.getByText("line 7 of the plan").click();
  await workbench.status(/^Ln 7,/).waitFor();
  await page.keyboard.press("Alt+y");
  await workbench.said("The plan is there.");
  await workbench.saved("missing/plan.txt", LINES.join(""));
});

const REMOVED = {
  asks: "take the old notes away",
  files: { "missing/old.txt": "one\ntwo\n", "missing/other.txt": "first\nsecond\n" },
  replies: [runs("rm missing/old.txt"), replaces("missing/other.txt", "second", "2nd"), says("They are away.")],
};

scene("a file that the agent removed is read as it was, passed by, and had again by keyboard", REMOVED, async (workbench) => {
  const { page } = workbench;
  await workbench.openFile("other.txt", "missing/other.txt");
  await workbench.openChat();
  await workbench.chooseMode("Auto edit");
  await workbench.ask(REMOVED.asks);
  await workbench.chat().locator(".question[data-armed=true]", { hasText: "rm missing/old.txt" }).press("Enter");
  await workbench.said("They are away.");
  await workbench.status("2 to review").waitFor();
  await workbench.gone("missing/old.txt");

  await workbench.editor.click({ position: { x: 300, y: 10 } });
  await page.keyboard.press("Control+Home");
  const goes = async (key: string, name: string, line: number): Promise<void> => {
    await page.keyboard.press(key);
    await page.locator(".tab.active", { hasText: name }).waitFor();
    await workbench.status(`Ln ${line}, Col 1`).waitFor();
  };
  await goes("Alt+F5", "other.txt", 2);
  await goes("Alt+F5", "old.txt", 1);
  await workbench.editor.getByText("two").waitFor();
  await workbench.lens("1 of 1").waitFor();
  await workbench.picture("removed-file-read");
  await goes("Alt+F5", "other.txt", 2);
  await goes("Alt+Shift+F5", "old.txt", 1);
  await page.keyboard.press("Alt+n");
  await workbench.status("1 to review").waitFor();
  await workbench.saved("missing/old.txt", "one\ntwo\n");
});

const EMPTY = {
  asks: "make three empty files",
  files: { "empty/beside.txt": "beside\n" },
  replies: [writes("empty/kept.txt", ""), writes("empty/refused.txt", ""), writes("empty/third.txt", ""), says("They are empty.")],
};

scene("an empty file is listed, and kept or rejected like any other", EMPTY, async (workbench) => {
  const { page } = workbench;
  await workbench.openFile("beside.txt", "empty/beside.txt");
  await workbench.openChat();
  await workbench.chooseMode("Auto edit");
  await workbench.ask(EMPTY.asks);
  await workbench.said("They are empty.");
  await workbench.status("3 to review").waitFor();
  await workbench.run("Pollux: Focus on Changes View");
  await page.getByRole("treeitem", { name: /^hunk 1, .*\(empty file\)/ }).nth(2).waitFor();
  // In the chat the keys mean what has the focus there, and not the file that is in front.
  await workbench.chat().locator(".file", { hasText: "third.txt" }).focus();
  await page.keyboard.press("Alt+n");
  await workbench.status("2 to review").waitFor();
  await workbench.gone("empty/third.txt");
  await workbench.chat().locator(".file", { hasText: "kept.txt" }).click();
  await page.locator(".tab.active", { hasText: "kept.txt" }).waitFor();
  await workbench.lens("1 of 1").waitFor();
  await workbench.picture("empty-file");
  await page.keyboard.press("Alt+y");
  await workbench.status("1 to review").waitFor();
  await page.keyboard.press("Alt+F5");
  await page.locator(".tab.active", { hasText: "refused.txt" }).waitFor();
  await page.locator(".statusbar-item [role=alert]", { hasText: /^New empty file, 1 of 1, empty\/refused\.txt\.$/ }).waitFor();
  await page.keyboard.press("Alt+n");
  await workbench.status(/to review/).waitFor({ state: "detached" });
  await workbench.gone("empty/refused.txt");
  await workbench.saved("empty/kept.txt", "");
});
