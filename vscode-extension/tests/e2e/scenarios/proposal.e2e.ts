import assert from "node:assert/strict";
import { replaces, says, writes } from "../model";
import { scene } from "../scenario";

const OLD = Array.from({ length: 12 }, (_, place) => `step ${place}\n`);
const wanted = (places: readonly number[]): string => OLD.map((line, place) => (places.includes(place) ? `agent ${place}\n` : line)).join("");

const THREE = {
  asks: "propose three lines at once",
  files: { "propose/steps.txt": OLD.join("") },
  replies: [writes("propose/steps.txt", wanted([1, 5, 9])), says("Some of it is in.")],
};

scene("of one proposal a hunk is rejected in the file, one in the chat, and the rest is kept", THREE, async (workbench) => {
  const { page } = workbench;
  const chat = workbench.chat();
  await workbench.openFile("steps.txt", "propose/steps.txt");
  await workbench.openChat();
  await workbench.ask(THREE.asks);
  const question = chat.locator(".question[data-armed=true]", { hasText: "steps.txt" });
  await question.waitFor();
  await workbench.lens("3 of 3").waitFor();
  await workbench.picture("proposal");
  await workbench.lens("Reject").first().click();
  await question.locator(".diff-hunk.decided").first().waitFor();
  await workbench.lens("2 of 2").waitFor();
  assert.equal(await question.locator(".diff-hunk.decided").count(), 1);
  await question.focus();
  await question.press("2");
  await workbench.lens("1 of 1").waitFor();
  await workbench.picture("proposal-half-decided");
  await question.getByRole("button", { name: "Keep rest" }).click();
  await workbench.said("Some of it is in.");
  await chat.getByRole("img", { name: "0 to review, 1 kept, 2 rejected" }).waitFor();
  await workbench.saved("propose/steps.txt", wanted([9]));
  await workbench.picture("proposal-decided");
  assert.equal(await page.locator(".notification-toast").count(), 0);
});

const OTHERWISE = {
  asks: "propose a name that I will change",
  files: { "draft/name.ts": 'export const name = "old";\nexport const age = 1;\n' },
  replies: [replaces("draft/name.ts", '"old"', '"agent"'), says("It has a name.")],
};

scene("a proposal is edited before it is kept, and the file has exactly that", OTHERWISE, async (workbench) => {
  const { page } = workbench;
  const draft = page.locator(".monaco-diff-editor .editor.modified");
  await workbench.openChat();
  await workbench.ask(OTHERWISE.asks);
  const question = workbench.chat().locator(".question[data-armed=true]", { hasText: "name.ts" });
  await question.waitFor();
  await question.focus();
  await question.press("e");
  await draft.getByText("agent").waitFor();
  await workbench.status("Ln 1, Col 1").waitFor();
  await page.keyboard.press("End");
  for (let press = 0; press < 2; press += 1) await page.keyboard.press("ArrowLeft");
  await page.keyboard.type(" and me");
  await workbench.picture("draft");
  await workbench.wear("light");
  await workbench.picture("draft-light");
  await workbench.wear("dark");
  // To save it decides nothing.
  await draft.getByText("and me").click();
  await page.keyboard.press("Control+s");
  await workbench.allSaved();
  assert.equal(workbench.text("draft/name.ts"), OTHERWISE.files["draft/name.ts"]);
  await question.waitFor();
  await page.keyboard.press("Alt+y");
  await workbench.said("It has a name.");
  await workbench.saved("draft/name.ts", 'export const name = "agent and me";\nexport const age = 1;\n');
  await page.locator(".tab", { hasText: "edit, then keep" }).waitFor({ state: "detached" });
  assert.match(workbench.model?.requests(OTHERWISE.asks).at(-1) ?? "", /The person changed the text/);
});

const LONG = "fn gone() {\n    one();\n    two();\n    three();\n}\n";
const PEEK = {
  asks: "take the long function out",
  files: { "peek/short.rs": `fn first() {}\n${LONG}fn last() {}\n` },
  replies: [replaces("peek/short.rs", LONG, ""), says("It is out."), says("Back again.")],
};

scene("lines that were removed can be read in the file, by hover and in a peek, and decided there", PEEK, async (workbench) => {
  const { page } = workbench;
  await workbench.openFile("short.rs", "peek/short.rs");
  await workbench.openChat();
  await workbench.chooseMode("Auto edit");
  await workbench.ask(PEEK.asks);
  await workbench.said("It is out.");
  await workbench.lens("Show 5 removed lines").click();
  const peek = page.locator(".peekview-widget");
  await peek.getByText("three").first().waitFor();
  await workbench.picture("peek");
  await page.keyboard.press("Escape");
  await peek.waitFor({ state: "detached" });

  await workbench.editor.getByText("last").first().hover();
  const hover = page.locator(".monaco-hover:visible");
  await hover.getByText("three").first().waitFor();
  await workbench.picture("hover");
  await hover.getByRole("link", { name: "Reject Alt+N" }).or(hover.locator("a", { hasText: "Reject Alt+N" })).first().click();
  await workbench.status(/to review/).waitFor({ state: "detached" });
  await workbench.saved("peek/short.rs", PEEK.files["peek/short.rs"]);

  await workbench.chat().locator(".prompt").hover();
  await workbench.chat().getByRole("button", { name: "Go back to before this prompt and edit it" }).click();
  await workbench.said("Went back to before this point");
  assert.equal(await workbench.composer.inputValue(), PEEK.asks, "the prompt comes back to be edited");
  await workbench.picture("rewound");
  await workbench.composer.press("Enter");
  await workbench.said("Back again.");
});

const AWAY = {
  asks: "ask me while I look elsewhere",
  files: {},
  replies: [
    { steps: [{ gate: "away: now" }, { call: { name: "run_shell_command", args: { command: "touch away.txt", description: "Does it" } } }, { finish: { reason: "STOP" } }] },
    says("Never mind."),
  ],
};

scene("a question is notified to somebody who looks elsewhere, and counts for as long as it waits, also when its session is left", AWAY, async (workbench) => {
  const { page } = workbench;
  const chat = workbench.chat();
  await workbench.openChat();
  await workbench.ask(AWAY.asks);
  await chat.locator(".activity").waitFor();
  // It is asked in a session that was left meanwhile.
  await workbench.run("Pollux: New Session");
  await chat.getByText("Ask about the code, or say what to change.").waitFor();
  await page.evaluate(() => {
    document.hasFocus = () => false;
    document.dispatchEvent(new Event("visibilitychange"));
  });
  // The window knows by now that nobody looks at it; the question still has a long way to go.
  await page.locator(".part.titlebar.inactive, .titlebar-container.inactive").first().waitFor({ timeout: 10_000 }).catch(() => undefined);
  workbench.model?.open("away: now");
  const toast = page.locator(".notification-toast", { hasText: "Pollux asks" });
  await toast.waitFor();
  await toast.getByRole("button", { name: "Don't Show Again" }).waitFor();
  await page.locator(".part.auxiliarybar .badge", { hasText: "1" }).waitFor();
  await workbench.picture("notification");
  await page.evaluate(() => {
    Reflect.deleteProperty(document, "hasFocus");
    document.dispatchEvent(new Event("visibilitychange"));
  });
  await toast.getByRole("button", { name: "Show", exact: true }).click();
  await chat.locator(".question[data-armed=true]", { hasText: "away.txt" }).waitFor();
  await workbench.status("1 to answer").waitFor();
  await workbench.run("Pollux: New Session");
  await chat.getByText("Ask about the code, or say what to change.").waitFor();
  await workbench.status("1 to answer").click();
  const question = chat.locator(".question[data-armed=true]", { hasText: "away.txt" });
  await question.waitFor();
  await question.press("Escape");
  await chat.getByPlaceholder("Say why").press("Enter");
  await chat.locator(".rows").getByText(/Rejected: touch away/).waitFor();
  await workbench.status(/to answer/).waitFor({ state: "detached" });
});
