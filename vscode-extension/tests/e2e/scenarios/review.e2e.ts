import assert from "node:assert/strict";
import { replaces, says, writes } from "../model";
import { scene } from "../scenario";

const NAMES = ["a.ts", "b.ts", "c.ts"] as const;
const PLACES = [1, 5, 9];

/** Twelve lines; the given ones are the agent's. */
function text(name: string, changed: readonly number[]): string {
  const lines = Array.from({ length: 12 }, (_, place) => {
    const value = changed.includes(place) ? `"agent ${place}"` : `"old ${place}"`;
    return `export const ${name[0] ?? ""}${place} = ${value};\n`;
  });
  return lines.join("");
}

const NINE = {
  asks: "change three lines in each of the three",
  files: Object.fromEntries(NAMES.map((name) => [`nine/${name}`, text(name, [])])),
  replies: [...NAMES.map((name) => writes(`nine/${name}`, text(name, PLACES))), says("Nine lines are changed.")],
};

scene("nine hunks in three files are decided by keyboard, and a rejected one is had again", NINE, async (workbench) => {
  const { page } = workbench;
  await workbench.openFile("a.ts", "nine/a.ts");
  await workbench.openChat();
  await workbench.chooseMode("Auto edit");
  await workbench.ask(NINE.asks);
  await workbench.said("Nine lines are changed.");
  await workbench.status("9 to review").waitFor();
  assert.equal(await page.locator(".tabs-container .tab").count(), 1, "no tab is opened by an edit");
  await workbench.lens("3 of 3").waitFor();
  await workbench.picture("nine-hunks");

  await workbench.editor.click({ position: { x: 300, y: 10 } });
  await page.keyboard.press("Control+Home");
  for (const [file, name] of NAMES.entries()) {
    for (const [place, line] of PLACES.entries()) {
      await page.keyboard.press("Alt+F5");
      await page.locator(".tab.active", { hasText: name }).waitFor();
      await workbench.status(`Ln ${line + 1}, Col 1`).waitFor();
      await page.keyboard.press(place === 1 ? "Alt+n" : "Alt+y");
      const left = 9 - (file * 3 + place) - 1;
      await workbench.status(left === 0 ? /Pollux$/ : `${left} to review`).waitFor();
    }
  }
  await workbench.picture("nine-hunks-decided");
  for (const name of NAMES) await workbench.saved(`nine/${name}`, text(name, [1, 9]));

  await workbench.run("Pollux: Focus on Changes View");
  await page.getByRole("treeitem", { name: /Rejected/ }).click();
  const rejected = page.getByRole("treeitem", { name: /c5 = "agent 5"/ });
  await rejected.click();
  await page.locator(".monaco-editor", { hasText: "agent" }).first().waitFor();
  await workbench.picture("rejected-looked-at");
  await rejected.hover();
  await rejected.getByRole("button", { name: "Apply Again" }).click();
  await workbench.status("1 to review").waitFor();
  await workbench.picture("rejected-applied-again");
  assert.equal(await page.locator(".editor-actions").getByRole("button", { name: "Keep All in This File" }).count(), 0, "what is only looked at cannot be kept");
  await workbench.run("Pollux: Keep All Changes");
  await workbench.status(/to review/).waitFor({ state: "detached" });
  await workbench.saved("nine/c.ts", text("c.ts", PLACES));
  await workbench.saved("nine/a.ts", text("a.ts", [1, 9]));
});

const LIST = {
  asks: "change two lines for the list",
  files: { "list/rows.ts": text("rows.ts", []) },
  replies: [writes("list/rows.ts", text("rows.ts", [1, 9])), says("Two lines for the list.")],
};

scene("the list of changes is worked through without a mouse, and what was rejected is had again from the palette", LIST, async (workbench) => {
  const { page } = workbench;
  await workbench.openFile("rows.ts", "list/rows.ts");
  await workbench.openChat();
  await workbench.chooseMode("Auto edit");
  await workbench.ask(LIST.asks);
  await workbench.said("Two lines for the list.");
  await workbench.status("2 to review").waitFor();
  await workbench.run("Pollux: Focus on Changes View");
  await page.getByRole("treeitem", { name: /^hunk 1, .*agent 1/ }).waitFor();
  // A view that was not there before takes the focus only once it has rows.
  await workbench.run("Pollux: Focus on Changes View");
  await page.locator(".monaco-list:focus").waitFor();
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowDown");
  await page.locator(".monaco-list:focus .monaco-list-row.focused", { hasText: "agent 1" }).waitFor();
  await page.keyboard.press("Shift+F10");
  const entry = page.locator(".context-view .action-item", { hasText: "Reject Hunk" });
  await entry.waitFor();
  await workbench.picture("list-menu");
  const isChosen = (): Promise<boolean> => entry.evaluate((one) => one.classList.contains("focused"));
  for (let press = 0; press < 5 && !(await isChosen()); press += 1) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await workbench.status("1 to review").waitFor();
  await workbench.saved("list/rows.ts", text("rows.ts", [9]));

  await workbench.runAsking("Pollux: Apply Again");
  await page.locator(".quick-input-list .monaco-list-row", { hasText: "list/rows.ts:2" }).first().waitFor();
  await workbench.picture("apply-again");
  await page.keyboard.press("Enter");
  await workbench.status("2 to review").waitFor();
  await workbench.openFile("rows.ts", "list/rows.ts");
  await page.keyboard.press("Control+k");
  await page.keyboard.press("Alt+n");
  await workbench.status(/to review/).waitFor({ state: "detached" });
  await workbench.saved("list/rows.ts", text("rows.ts", []));
});

const HAND = {
  asks: "put a limit into the constants",
  files: { "hand/limits.ts": "// limits\nexport const LIMIT = 1;\n\nexport const OTHER = 2;\n" },
  replies: [replaces("hand/limits.ts", "LIMIT = 1;", "LIMIT = 30;"), says("The limit is there.")],
};

scene("a proposal that was edited by hand is kept as it was edited", HAND, async (workbench) => {
  const { page } = workbench;
  await workbench.openFile("limits.ts", "hand/limits.ts");
  await workbench.openChat();
  await workbench.chooseMode("Auto edit");
  await workbench.ask(HAND.asks);
  await workbench.said("The limit is there.");
  await workbench.lens("1 of 1").waitFor();
  await workbench.editor.click({ position: { x: 300, y: 10 } });
  await page.keyboard.press("Control+Home");
  await page.keyboard.press("Alt+F5");
  await workbench.status("Ln 2, Col 1").waitFor();
  await page.keyboard.press("End");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.type("00");
  await workbench.picture("edited-by-hand");
  await page.keyboard.press("Alt+y");
  await workbench.status(/to review/).waitFor({ state: "detached" });
  await page.keyboard.press("Control+s");
  await workbench.saved("hand/limits.ts", "// limits\nexport const LIMIT = 3000;\n\nexport const OTHER = 2;\n");
});

const BEFORE = { "undo/left.ts": "export const left = 1;\n", "undo/right.ts": "export const right = 1;\n" };
const UNDO = {
  asks: "change left and right and add a middle",
  files: BEFORE,
  replies: [
    writes("undo/left.ts", "export const left = 2;\n"),
    writes("undo/right.ts", "export const right = 2;\n"),
    writes("undo/middle.ts", "export const middle = 2;\n"),
    says("All three are changed."),
  ],
};

scene("a turn is undone as a whole, and done again", UNDO, async (workbench) => {
  await workbench.openFile("left.ts", "undo/left.ts");
  await workbench.openChat();
  await workbench.chooseMode("Auto edit");
  await workbench.ask(UNDO.asks);
  const chat = workbench.chat();
  await workbench.said("All three are changed.");
  await workbench.status("3 to review").waitFor();
  await workbench.saved("undo/middle.ts", "export const middle = 2;\n");
  await chat.locator(".prompt").hover();
  await chat.getByRole("button", { name: "Undo what this turn did to files" }).click();
  await workbench.status(/to review/).waitFor({ state: "detached" });
  for (const [name, text] of Object.entries(BEFORE)) await workbench.saved(name, text);
  await workbench.gone("undo/middle.ts");
  await workbench.picture("turn-undone");
  await workbench.run("Pollux: Redo Last Turn");
  await workbench.saved("undo/left.ts", "export const left = 2;\n");
  await workbench.saved("undo/middle.ts", "export const middle = 2;\n");
});

const COUNT = 100_000;
const line = (place: number): string => `value_${place} = ${place}\n`;
const LARGE = Array.from({ length: COUNT }, (_, place) => line(place)).join("");
const CHANGED = LARGE.replace("value_49999 = 49999\n", "value_49999 = 50000\nvalue_49999_b = 1\n");
const HUGE = {
  asks: "change the middle of the large one",
  files: { "large/values.toml": LARGE },
  replies: [replaces("large/values.toml", "value_49999 = 49999\n", "value_49999 = 50000\nvalue_49999_b = 1\n"), says("The middle is changed.")],
};

scene("a hunk in the middle of 100,000 lines is shown and kept, and the window stays alive", HUGE, async (workbench, context) => {
  const { page } = workbench;
  await workbench.openFile("values.toml", "large/values.toml");
  await workbench.openChat();
  await workbench.chooseMode("Auto edit");
  const frames = await workbench.watchFrames();
  await workbench.ask(HUGE.asks);
  await workbench.said("The middle is changed.");
  await workbench.status("1 to review").waitFor();
  await workbench.editor.click({ position: { x: 300, y: 10 } });
  await page.keyboard.press("Alt+F5");
  await workbench.status("Ln 50000, Col 1").waitFor();
  await workbench.lens("1 of 1").waitFor();
  await workbench.picture("large-file");
  // Words can be written in the chat and in the file while it is there.
  await workbench.composer.fill("still here");
  await workbench.composer.fill("");
  await workbench.editor.click({ position: { x: 300, y: 10 } });
  await workbench.status(/Ln 49\d\d\d/).waitFor();
  await page.keyboard.press("Alt+F5");
  await workbench.status("Ln 50000, Col 1").waitFor();
  await page.keyboard.press("Alt+y");
  await workbench.status(/to review/).waitFor({ state: "detached" });
  await workbench.saved("large/values.toml", CHANGED);
  context.diagnostic(`figure: longest frame with 100,000 lines: ${Math.round(await frames())} ms`);
});
