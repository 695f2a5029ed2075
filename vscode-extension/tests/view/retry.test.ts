// A request that waits before it is sent again: why, for how long, and what a person may do.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { ChatEvent, ToView } from "../../src/chat/messages";
import { EDITOR, MODELS, SESSION } from "./scenes";
import { Harness } from "./view";

let harness: Harness;
before(async () => (harness = await Harness.start()));
after(() => harness.stop());

const events = (...list: ChatEvent[]): ToView => ({ kind: "events", session: SESSION, events: list, replay: false });

test("a retry that waits says why and counts down, and can be sent now or stopped", async () => {
  const view = await harness.open();
  await view.say(
    { kind: "session", session: SESSION },
    MODELS,
    EDITOR,
    events(
      { kind: "turnStarted", turn: 1, prompt: "hello", model: "gemini-3-pro" },
      { kind: "requestRetried", attempt: 1, attempts: 10, delayMs: 3_600_000, retryAtMs: Date.now() + 3_600_000, reason: "the model is busy" },
    ),
  );
  const panel = view.page.locator(".retrying");
  const words = async (): Promise<string> => (await panel.locator(".note-text").textContent()) ?? "";
  const seconds = async (): Promise<number> => Number(/Retrying in (\d+) s \(attempt 1 of 10 failed\): the model is busy/.exec(await words())?.[1]);
  const first = await seconds();
  assert.ok(first > 3_000, await words());
  await view.page.waitForFunction(
    (before) => Number(/in (\d+) s/.exec(document.querySelector(".retrying .note-text")?.textContent ?? "")?.[1]) < before,
    first,
  );
  await panel.getByRole("button", { name: "Retry now" }).click();
  await panel.getByRole("button", { name: "Stop" }).click();
  await view.say();
  assert.deepEqual((await view.posted()).filter(({ kind }) => kind === "retryNow" || kind === "stop"), [{ kind: "retryNow" }, { kind: "stop" }]);
  await view.say(events({ kind: "retryStarted" }));
  assert.equal(await panel.count(), 0);
  await view.page.locator(".activity").waitFor();
});
