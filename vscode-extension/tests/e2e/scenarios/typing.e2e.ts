import assert from "node:assert/strict";
import { replaces, says, writes } from "../model";
import { scene } from "../scenario";

const LINES = Array.from({ length: 20 }, (_, place) => `line ${place};\n`);
const PLACES = [4, 9, 14, 19];
const OTHERS = Array.from({ length: 15 }, (_, place) => `typing/beside${place}.txt`);
const EDITED = LINES.map((line, place) => (PLACES.includes(place) ? `agent ${place};\n` : line)).join("");
const WORDS = "what a person types stays where it was typed";
/** Ten keys in a second, as a person writes who does not stop to think. */
const KEY_MS = 100;

const SHARED = {
  asks: "number the lines while I write",
  files: { "typing/typed.txt": LINES.join(""), ...Object.fromEntries(OTHERS.map((name) => [name, "beside\n"])) },
  replies: [
    // Between two edits of the file that is typed into, others are edited, some of them new: twenty in all.
    ...PLACES.flatMap((place, at) => [
      replaces("typing/typed.txt", `line ${place};`, `agent ${place};`, { gate: `typing: edit ${place}` }),
      ...OTHERS.slice(at * 4, at * 4 + 4).map((name) => replaces(name, "beside", "besides")),
      writes(`typing/new${at}.txt`, "new\n"),
    ]),
    says("Numbered."),
  ],
};

scene("what is typed while the agent edits the same file and others is all there", SHARED, async (workbench) => {
  const { page } = workbench;
  await workbench.openFile("typed.txt", "typing/typed.txt");
  await workbench.openChat();
  await workbench.chooseMode("Auto edit");
  await workbench.ask(SHARED.asks);
  await workbench.chat().locator(".activity").waitFor();
  await workbench.editor.click({ position: { x: 300, y: 10 } });
  await page.keyboard.press("Control+Home");
  for (const [place, letter] of Array.from(WORDS).entries()) {
    const edit = PLACES[(place - 8) / 8];
    if (edit !== undefined) workbench.model?.open(`typing: edit ${edit}`);
    await page.keyboard.type(letter, { delay: KEY_MS });
  }
  await workbench.said("Numbered.");
  await workbench.status(`${PLACES.length * 2 + OTHERS.length} to review`).waitFor();
  assert.equal(await page.locator(".tabs-container .tab").count(), 1, "no tab is opened");
  assert.equal(await workbench.editor.evaluate((editor) => editor.contains(document.activeElement)), true, "the focus stays");
  await workbench.picture("typing");
  await page.keyboard.press("Control+s");
  await workbench.saved("typing/typed.txt", WORDS + EDITED);
  for (const name of OTHERS) await workbench.saved(name, "besides\n");
});
