import assert from "node:assert/strict";
import { says } from "../model";
import { scene } from "../scenario";

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
