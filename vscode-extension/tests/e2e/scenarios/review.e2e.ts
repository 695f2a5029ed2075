import assert from "node:assert/strict";
import { says, writes } from "../model";
import { scenario } from "../scenario";

const NAMES = ["a.ts", "b.ts", "c.ts"] as const;
const PLACES = [1, 5, 9];

/** Twelve lines; the given ones are the agent's. */
function text(name: string, changed: readonly number[]): string {
  const lines = Array.from({ length: 12 }, (_, place) => {
    const value = changed.includes(place) ? `agent(${place})` : `old(${place})`;
    return `export const ${name[0] ?? ""}${place} = ${value};\n`;
  });
  return lines.join("");
}

const nine = {
  files: Object.fromEntries(NAMES.map((name) => [name, text(name, [])])),
  replies: [...NAMES.map((name) => writes(name, text(name, PLACES))), says("done")],
};

scenario("nine hunks in three files are decided by keyboard", nine, async (workbench) => {
  const { page } = workbench;
  await workbench.openFile("a.ts");
  const door = await workbench.door();
  await door.prompt("change them");
  await door.turnEnd();
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
  for (const name of NAMES) await workbench.saved(name, text(name, [1, 9]));

  await workbench.run("Pollux: Undo Last Decision");
  await workbench.status("1 to review").waitFor();
  await page.locator(".activitybar .action-item", { has: page.locator('[aria-label^="Pollux"]') }).click();
  await page.getByRole("treeitem", { name: /Rejected/ }).click();
  await page.getByRole("treeitem", { name: /agent\(5\)/ }).first().waitFor();
  await workbench.picture("changes-rejected");
});
