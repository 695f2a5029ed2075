import { replaces, says } from "../model";
import { scenario } from "../scenario";

const LINES = Array.from({ length: 20 }, (_, place) => `line ${place};\n`);
const PLACES = [4, 9, 14, 19];
const EDITED = LINES.map((line, place) => (PLACES.includes(place) ? `agent ${place};\n` : line)).join("");
const WORDS = "what a person types stays where it was typed";

const shared = {
  files: { "notes.txt": LINES.join("") },
  replies: [
    ...PLACES.map((place) => replaces("notes.txt", `line ${place};`, `agent ${place};`, { gate: `edit ${place}` })),
    says("done"),
  ],
};

scenario("what is typed while the agent edits the same file is all there", shared, async (workbench) => {
  await workbench.openFile("notes.txt");
  await workbench.editor.click({ position: { x: 300, y: 10 } });
  await workbench.page.keyboard.press("Control+Home");
  const door = await workbench.door();
  await door.prompt("number them");
  await door.heard((event) => event.kind === "turnStarted");
  for (const [place, letter] of Array.from(WORDS).entries()) {
    const edit = PLACES[(place - 8) / 8];
    if (edit !== undefined) workbench.model?.open(`edit ${edit}`);
    await workbench.page.keyboard.type(letter);
  }
  await door.turnEnd();
  await workbench.status("4 to review").waitFor();
  await workbench.picture("typing");
  await workbench.page.keyboard.press("Control+s");
  await workbench.saved("notes.txt", WORDS + EDITED);
});
