// Text as it streams in.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { ChatEvent } from "../../src/chat/messages";
import { begun, paintTimes, spread, streamChunks } from "./measure";
import { SESSION } from "./scenes";
import { Harness } from "./view";

let harness: Harness;
before(async () => (harness = await Harness.start()));
after(() => harness.stop());

test("5,000 chunks are drawn frame by frame, and the view stays at the end", async () => {
  const view = await begun(harness);
  const stream = await streamChunks(view);
  const figures = spread(stream.frames);
  process.stdout.write(
    `figure: frame while 5,000 chunks stream: ${figures.median.toFixed(1)} ms median, ${figures.p95.toFixed(1)} ms p95, ${figures.worst.toFixed(1)} ms worst\n`,
  );
  assert.equal(stream.offEnd, 0);
  assert.ok(stream.nodes < 1_500, `${stream.nodes} nodes`);
  // Once per frame, plus what measuring asks for: not once per chunk.
  const drawn = stream.frames.length;
  assert.ok(stream.drawings <= 3 * drawn, `${stream.drawings} drawings in ${drawn} frames`);
  assert.deepEqual(view.complaints, []);
});

test("a paragraph that is finished is never drawn again", async () => {
  const view = await begun(harness);
  const say = (text: string): Promise<void> => view.say({ kind: "events", session: SESSION, events: [{ kind: "text", text }], replay: false });
  await say("First **paragraph**.\n\nSecond ");
  await view.page.evaluate(() => document.querySelector(".row-prose")?.querySelector("strong")?.setAttribute("data-mine", "1"));
  await say("goes on ");
  await say("and on.\n\nThird.");
  assert.equal(await view.page.locator('[data-mine="1"]').count(), 1);
});

test("only whole words are shown while they come", async () => {
  const view = await begun(harness);
  await view.say({ kind: "events", session: SESSION, events: [{ kind: "text", text: "The coun" }], replay: false });
  assert.equal((await view.page.locator(".row-prose").innerText()).trim(), "The");
  await view.say({ kind: "events", session: SESSION, events: [{ kind: "text", text: "ter is" }, { kind: "turnEnded", turn: 1, outcome: "completed", message: "" }], replay: false });
  assert.equal((await view.page.locator(".row-prose").innerText()).trim(), "The counter is");
});

test("from an event to painted text takes about a frame", async () => {
  const view = await begun(harness);
  const times = await paintTimes(view);
  const { median, p95 } = spread(times);
  process.stdout.write(`figure: event to painted text: ${median.toFixed(1)} ms median, ${p95.toFixed(1)} ms p95\n`);
  assert.equal(times.length, 100);
});

test("a screen reader hears sentences, and the whole of a command that is asked for", async () => {
  const view = await begun(harness);
  const polite = view.page.locator('[aria-live="polite"]');
  const say = (...events: ChatEvent[]): Promise<void> => view.say({ kind: "events", session: SESSION, events, replay: false });
  await say({ kind: "text", text: "The **counter** is reset. It nev" });
  assert.equal(await polite.textContent(), "The counter is reset.");
  await say({ kind: "text", text: "er stops.\n" });
  assert.equal(await polite.textContent(), "It never stops.");
  await say({
    kind: "approvalRequested",
    approval: 1,
    call: "1",
    tool: "shell",
    title: "Run …",
    reason: "",
    subject: { kind: "command", command: "rm -r build && make", folder: "app", programs: [], cautions: [] },
    offers: [],
  });
  assert.equal(await view.page.locator('[aria-live="assertive"]').textContent(), "Pollux asks: Run rm -r build && make in app. Enter allows once, Escape rejects.");
});
