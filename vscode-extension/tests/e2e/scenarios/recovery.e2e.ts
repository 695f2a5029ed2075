import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { runs, says, writes, type Reply } from "../model";
import { scenario, scene } from "../scenario";
import type { Workbench } from "../workbench";

const DOOR = {
  asks: "go on while the door is broken",
  files: {},
  replies: [
    { steps: [{ text: "Before the break. " }, { gate: "door: broken" }, { text: "After the break." }, { finish: { reason: "STOP" } }] },
  ],
};

scene("a door that is killed in the middle of a turn is opened again, and the answer is whole", DOOR, async (workbench) => {
  const rows = workbench.chat().locator(".rows");
  await workbench.openChat();
  await workbench.ask(DOOR.asks);
  await rows.getByText("Before the break.").waitFor();
  const doors = workbench.processes("lsp");
  assert.equal(doors.length, 1);
  for (const door of doors) process.kill(door, "SIGKILL");
  await workbench.replaced("lsp", doors);
  workbench.model?.open("door: broken");
  await rows.getByText("Before the break. After the break.").waitFor();
  await workbench.quietChat();
  await workbench.picture("door-killed");
  assert.equal(workbench.model?.requests(DOOR.asks).length, 1, "the model was asked once");
  assert.equal(await workbench.page.locator(".notification-toast").count(), 0);
});

const HOST = {
  asks: "go on although the host is killed",
  files: {},
  replies: [
    { steps: [{ text: "Words before the end. " }, { gate: "host: never" }, { finish: { reason: "STOP" } }] },
    says("I am here again."),
  ],
};

scene("a host that is killed in the middle of a turn comes back with the conversation, and goes on", HOST, async (workbench) => {
  const chat = workbench.chat();
  await workbench.openChat();
  await workbench.ask(HOST.asks);
  await chat.locator(".rows").getByText("Words before the end.").waitFor();
  const hosts = workbench.processes("host");
  assert.equal(hosts.length, 1);
  for (const host of hosts) process.kill(host, "SIGKILL");
  await workbench.replaced("host", hosts);
  await workbench.page.locator('.statusbar-item[aria-label="Pollux: ready"]').waitFor();
  await chat.locator(".prompt", { hasText: HOST.asks }).waitFor();
  await workbench.quietChat();
  await workbench.said("The turn was interrupted");
  assert.equal(await chat.locator(".rows").getByText("Words before the end.").count(), 1, "what had arrived of the answer is still there");
  await workbench.picture("host-killed");
  await workbench.ask("are you there?");
  await workbench.said("I am here again.");
  await workbench.quietChat();
  await workbench.picture("host-recovered");
});

const OLD = "export const tries = 3;\nexport const pause = 10;\n";
const NEW = "export const tries = 5;\nexport const pause = 10;\n";

const KILLS = {
  files: { "kills.ts": OLD },
  replies: [
    says("The first answer."),
    says("The second answer."),
    { steps: [{ text: "Half of the third. " }, { gate: "kills: never" }, { finish: { reason: "STOP" } }] },
    says("The other half."),
    runs("touch killed.txt"),
    writes("kills.ts", NEW),
    says("One line is changed."),
  ] satisfies Reply[],
};

/** What a person reads in the chat: prompts, answers, and how turns ended. */
async function transcript(workbench: Workbench): Promise<string> {
  const shown = await workbench.chat().locator(".rows").innerText();
  // That somebody chose another mode is no part of the record.
  return shown.replaceAll(/\s+/g, " ").replace("Mode: Auto edit ", "");
}

async function killHost(workbench: Workbench): Promise<void> {
  const hosts = workbench.processes("host");
  assert.equal(hosts.length, 1);
  for (const host of hosts) process.kill(host, "SIGKILL");
  await workbench.replaced("host", hosts);
}

scenario("the chat goes on whenever the host is killed: idle, twice in a row, in an answer, at a question, and while hunks wait", KILLS, async (workbench) => {
  const chat = workbench.chat();
  await workbench.openFile("kills.ts");
  await workbench.openChat();
  await workbench.ask("first");
  await workbench.said("The first answer.");
  await workbench.quietChat();
  await killHost(workbench);
  await killHost(workbench);
  await workbench.ask("second");
  await workbench.said("The second answer.");
  await workbench.quietChat();
  assert.equal(await chat.locator(".rows").getByText("The first answer.").count(), 1);

  await workbench.ask("third");
  await chat.locator(".rows").getByText("Half of the third.").waitFor();
  const killed = performance.now();
  await killHost(workbench);
  await workbench.said("The turn was interrupted");
  const waited = performance.now() - killed;
  await workbench.picture("kills-interrupted");
  assert.equal(await chat.locator(".rows").getByText("Half of the third.").count(), 1);
  await chat.getByRole("button", { name: "Continue" }).click();
  await workbench.said("The other half.");
  await workbench.quietChat();

  await workbench.ask("fourth");
  await chat.locator(".question[data-armed=true]", { hasText: "touch killed.txt" }).waitFor();
  await killHost(workbench);
  await chat.locator(".question").waitFor({ state: "detached" });
  await workbench.status(/to answer/).waitFor({ state: "detached" });
  await workbench.quietChat();
  assert.equal(existsSync(join(workbench.folder, "killed.txt")), false);

  await workbench.chooseMode("Auto edit");
  await workbench.ask("fifth");
  await workbench.said("One line is changed.");
  await workbench.status("1 to review").waitFor();
  await workbench.quietChat();
  const before = await transcript(workbench);
  await killHost(workbench);
  await workbench.lens("1 of 1").waitFor();
  await workbench.status("1 to review").waitFor();
  await workbench.quietChat();
  // What is on the screen now is what is recorded.
  assert.equal(await transcript(workbench), before);
  await workbench.run("Pollux: Reject All Changes");
  await workbench.status(/to review/).waitFor({ state: "detached" });
  await workbench.saved("kills.ts", OLD);
  assert.ok(waited < 10_000, `an interrupted turn is told after ${Math.round(waited)} ms`);
});
