import assert from "node:assert/strict";
import { says, writes } from "../model";
import { scenario } from "../scenario";

const LINES = Array.from({ length: 20 }, (_, place) => `line ${place}\n`);
const EDITED = LINES.map((line, place) => (place % 5 === 4 ? `agent ${place}\n` : line)).join("");
const WORDS = "what a person types stays where it was typed";

const shared = {
  files: { "notes.txt": LINES.join("") },
  replies: [writes("notes.txt", EDITED, { gate: "typing" }), says("done")],
};

scenario("what is typed while the agent edits the same file is all there", shared, async (workbench) => {
  await workbench.openFile("notes.txt");
  await workbench.editor.click({ position: { x: 300, y: 10 } });
  await workbench.page.keyboard.press("Control+Home");
  const door = await workbench.door();
  await door.prompt("number them");
  await door.heard((event) => event.kind === "turnStarted");
  const half = WORDS.length / 2;
  for (const [place, letter] of Array.from(WORDS).entries()) {
    if (place === half) workbench.model?.open("typing");
    await workbench.page.keyboard.type(letter);
  }
  await door.turnEnd();
  await workbench.status("4 to review").waitFor();
  await workbench.picture("typing");
  await workbench.page.keyboard.press("Control+s");
  await workbench.page.locator(".tab.active:not(.dirty)").waitFor();
  assert.equal(workbench.text("notes.txt"), WORDS + EDITED);
  await door.close();
});
