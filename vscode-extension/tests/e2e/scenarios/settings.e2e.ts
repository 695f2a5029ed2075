import assert from "node:assert/strict";
import { replaces } from "../model";
import { scenario } from "../scenario";

const OLD = "one\ntwo\nthree\n";
const SETUP = {
  files: { "seen.txt": OLD, "other.txt": "other\n" },
  replies: [replaces("seen.txt", "two", "2"), { steps: [{ gate: "looked" }, { text: "It is changed." }, { finish: { reason: "STOP" } }] }],
  settings: { "pollux.review.reveal": true },
  machine: { "pollux.review.mode": "auto" },
};

scenario("who wants it so sees what is changed without losing the focus, and has it kept without a question", SETUP, async (workbench) => {
  const { page } = workbench;
  await workbench.openFile("other.txt");
  await workbench.openChat();
  await workbench.ask("change the second line");
  await page.locator(".tab.active", { hasText: "seen.txt" }).waitFor();
  await workbench.status("1 to review").waitFor();
  await page.keyboard.type("typed meanwhile");
  await workbench.chat().locator(".composer textarea:focus").waitFor();
  assert.equal(await workbench.composer.inputValue(), "typed meanwhile");
  await workbench.picture("revealed");
  workbench.model?.open("looked");
  await workbench.said("It is changed.");
  await workbench.status(/to review/).waitFor({ state: "detached" });
  await workbench.saved("seen.txt", OLD.replace("two", "2"));
  // It is a decision like any other.
  await workbench.run("Pollux: Undo Last Decision");
  await workbench.status("1 to review").waitFor();
});
