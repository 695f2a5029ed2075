import assert from "node:assert/strict";
import { replaces, says } from "../model";
import { scene } from "../scenario";
import type { Workbench } from "../workbench";

const OLD = "one\ntwo\nthree\n";
const BOTH = {
  asks: "change the lines that I am typing in",
  files: { "conflict/mine.txt": OLD, "conflict/theirs.txt": OLD },
  replies: [replaces("conflict/mine.txt", "two", "agent"), replaces("conflict/theirs.txt", "two", "agent"), says("Both are asked.")],
};

/** Types into the line that the agent asks about, and then lets it have its edit. */
async function typesAndKeeps(workbench: Workbench, name: string): Promise<void> {
  const { page } = workbench;
  const question = workbench.chat().locator(".question[data-armed=true]", { hasText: name });
  await question.waitFor();
  await workbench.openFile(name, `conflict/${name}`);
  await workbench.lens("1 of 1").waitFor();
  await page.keyboard.press("Control+Home");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("End");
  await page.keyboard.type(" and mine");
  await question.focus();
  await question.press("Enter");
  await workbench.lens("Take agent's").waitFor();
}

scene("a conflict shows both sides, asks which is to stand when it is kept, and is settled either way", BOTH, async (workbench) => {
  const { page } = workbench;
  const heard = (words: RegExp) => page.locator(".statusbar-item [role=alert]", { hasText: words });
  const sides = page.locator(".quick-input-list .monaco-list-row");
  await workbench.openChat();
  await workbench.ask(BOTH.asks);
  await typesAndKeeps(workbench, "mine.txt");
  await typesAndKeeps(workbench, "theirs.txt");
  await workbench.said("Both are asked.");
  await workbench.status("2 to review").waitFor();
  // What was kept is not in the file, and so the chat does not say that it is.
  const chat = workbench.chat();
  const open = chat.locator(".note.conflict");
  await open.nth(1).waitFor();
  assert.equal(await chat.locator(".note.answered", { hasText: "Kept" }).count(), 0);
  await workbench.picture("conflict-chat");
  await open.filter({ hasText: "mine.txt" }).getByRole("button", { name: "Settle the conflict" }).click();
  await page.locator(".tab.active", { hasText: "mine.txt" }).waitFor();
  await workbench.status("Ln 2, Col 1").waitFor();
  await workbench.openFile("theirs.txt", "conflict/theirs.txt");

  await workbench.editor.click({ position: { x: 300, y: 10 } });
  await page.keyboard.press("Alt+F5");
  await heard(/^Conflict 2 of 2, 1 line of yours, 1 of the agent's, conflict\/theirs\.txt line 2\.$/).waitFor();
  await workbench.picture("conflict");
  await workbench.wear("light");
  await workbench.picture("conflict-light");
  await workbench.wear("dark");
  await workbench.editor.click({ position: { x: 300, y: 10 } });
  await page.keyboard.press("Control+Home");
  await page.keyboard.press("Alt+F5");
  await workbench.status("Ln 2, Col 1").waitFor();
  // All at once is not a way around the question.
  await page.keyboard.press("Control+k");
  await page.keyboard.press("Alt+y");
  await page.locator(".notification-toast", { hasText: "You and the agent changed the same lines" }).waitFor();
  await workbench.run("Notifications: Clear All Notifications");
  await page.keyboard.press("Alt+y");
  await sides.nth(1).waitFor();
  await sides.filter({ hasText: "Keep mine" }).getByText("two and mine").waitFor();
  await sides.filter({ hasText: "Take agent's" }).getByText("agent", { exact: true }).waitFor();
  await workbench.picture("conflict-asked");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await workbench.status("1 to review").waitFor();
  await page.keyboard.press("Control+s");
  await workbench.saved("conflict/theirs.txt", OLD.replace("two", "agent"));
  await chat.locator(".note.answered", { hasText: "Conflict settled: conflict/theirs.txt" }).waitFor();

  await page.keyboard.press("Alt+F5");
  await page.locator(".tab.active", { hasText: "mine.txt" }).waitFor();
  await page.keyboard.press("Alt+y");
  await sides.nth(1).waitFor();
  await page.keyboard.press("Enter");
  await workbench.status(/to review/).waitFor({ state: "detached" });
  await page.keyboard.press("Control+s");
  await workbench.saved("conflict/mine.txt", OLD.replace("two", "two and mine"));
  await open.first().waitFor({ state: "detached" });
});
