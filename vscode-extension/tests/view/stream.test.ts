// Text as it streams in.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { ChatEvent } from "../../src/chat/messages";
import { SESSION } from "./scenes";
import { Harness, type View } from "./view";

let harness: Harness;
before(async () => (harness = await Harness.start()));
after(() => harness.stop());

const START: ChatEvent = { kind: "turnStarted", turn: 1, prompt: "write", model: "demo" };

async function begun(): Promise<View> {
  const view = await harness.open();
  await view.say({ kind: "session", session: SESSION }, { kind: "events", session: SESSION, events: [START], replay: false });
  return view;
}

test("5,000 chunks are drawn frame by frame, and the view stays at the end", async () => {
  const view = await begun();
  const figures = await view.page.evaluate(async (session) => {
    const words = ["The ", "retry ", "counter ", "is ", "**reset** ", "inside ", "`loop` ", "and ", "so ", "on. "];
    const say = (text: string): void => {
      window.dispatchEvent(new MessageEvent("message", { data: { kind: "events", session, events: [{ kind: "text", text }], replay: false } }));
    };
    let drawings = 0;
    const observer = new MutationObserver(() => (drawings += 1));
    observer.observe(document.body, { subtree: true, childList: true, characterData: true });
    const frames: number[] = [];
    let offEnd = 0;
    let last = performance.now();
    for (let sent = 0; sent < 5_000; ) {
      for (let more = 0; more < 10; more += 1, sent += 1) {
        const ending = sent % 120 === 119 ? "\n\n" : sent % 600 === 300 ? "\n\n```rust\nfn main() {\n    let x = 1;\n}\n```\n\n" : "";
        say((words[sent % words.length] ?? "") + ending);
      }
      await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)));
      const now = performance.now();
      frames.push(now - last);
      last = now;
      const scroller = document.querySelector(".scroller");
      if (scroller && scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight > 1) offEnd += 1;
    }
    frames.sort((one, other) => one - other);
    const at = (share: number): number => frames[Math.floor((frames.length - 1) * share)] ?? 0;
    return { frames: frames.length, drawings, offEnd, median: at(0.5), p95: at(0.95), worst: at(1), nodes: document.querySelectorAll("*").length };
  }, SESSION);
  process.stdout.write(
    `figure: frame while 5,000 chunks stream: ${figures.median.toFixed(1)} ms median, ${figures.p95.toFixed(1)} ms p95, ${figures.worst.toFixed(1)} ms worst\n`,
  );
  assert.equal(figures.offEnd, 0);
  assert.ok(figures.nodes < 1_500, `${figures.nodes} nodes`);
  // Once per frame, plus what measuring asks for: not once per chunk.
  assert.ok(figures.drawings <= 3 * figures.frames, `${figures.drawings} drawings in ${figures.frames} frames`);
  assert.deepEqual(view.complaints, []);
});

test("a paragraph that is finished is never drawn again", async () => {
  const view = await begun();
  const say = (text: string): Promise<void> => view.say({ kind: "events", session: SESSION, events: [{ kind: "text", text }], replay: false });
  await say("First **paragraph**.\n\nSecond ");
  await view.page.evaluate(() => document.querySelector(".row-prose")?.querySelector("strong")?.setAttribute("data-mine", "1"));
  await say("goes on ");
  await say("and on.\n\nThird.");
  assert.equal(await view.page.locator('[data-mine="1"]').count(), 1);
});

test("only whole words are shown while they come", async () => {
  const view = await begun();
  await view.say({ kind: "events", session: SESSION, events: [{ kind: "text", text: "The coun" }], replay: false });
  assert.equal((await view.page.locator(".row-prose").innerText()).trim(), "The");
  await view.say({ kind: "events", session: SESSION, events: [{ kind: "text", text: "ter is" }, { kind: "turnEnded", turn: 1, outcome: "completed", message: "" }], replay: false });
  assert.equal((await view.page.locator(".row-prose").innerText()).trim(), "The counter is");
});

test("from an event to painted text takes about a frame", async () => {
  const view = await begun();
  const times = await view.page.evaluate(async (session) => {
    const all: number[] = [];
    for (let round = 0; round < 100; round += 1) {
      const word = `word${round} `;
      const sent = performance.now();
      window.dispatchEvent(new MessageEvent("message", { data: { kind: "events", session, events: [{ kind: "text", text: word }], replay: false } }));
      do await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)));
      while (!document.querySelector(".rows")?.textContent.includes(word.trim()));
      all.push(performance.now() - sent);
    }
    return all.sort((one, other) => one - other);
  }, SESSION);
  process.stdout.write(`figure: event to painted text: ${(times[50] ?? 0).toFixed(1)} ms median, ${(times[95] ?? 0).toFixed(1)} ms p95\n`);
  assert.equal(times.length, 100);
});

test("a screen reader hears sentences, and the whole of a command that is asked for", async () => {
  const view = await begun();
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
