// Sub-agents: everything that they do stands in their cards, can be answered there, and can be stopped.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { ChatEvent, FromView } from "../../src/chat/messages";
import { AGENT, AGENT_ENDED, APPROVAL, call, CONVERSATION, done, MODELS, SESSION } from "./scenes";
import { Harness, type View } from "./view";

let harness: Harness;
before(async () => (harness = await Harness.start()));
after(() => harness.stop());

const say = (view: View, ...events: ChatEvent[]): Promise<void> => view.say({ kind: "events", session: SESSION, events, replay: false });

async function showing(...events: ChatEvent[]): Promise<View> {
  const view = await harness.open();
  await view.say({ kind: "session", session: SESSION }, MODELS);
  await say(view, ...events);
  return view;
}

async function posted(view: View, kind: FromView["kind"]): Promise<FromView[]> {
  await view.say();
  return (await view.posted()).filter((message) => message.kind === kind);
}

const agent = (view: View, name: string) => view.page.locator(".agent").filter({ has: view.page.locator(".agent-name", { hasText: name }) });
const stop = (view: View, title: RegExp) => view.page.getByRole("button", { name: title });
const line = (view: View, title: string) => view.page.locator(".fold-line", { hasText: title });

test("the card of a sub-agent says who it is, what it thinks about, which turn it is in and what it has done last", async () => {
  const view = await showing(...AGENT);
  const card = agent(view, "Codebase Investigator");
  assert.equal(await card.locator(".agent-thought").innerText(), "Who resets the counter?");
  assert.match(await card.locator(".line-end").first().innerText(), /^turn 4 of 30$/);
  const titles = () => card.locator(".inside .line-text").allInnerTexts();
  assert.deepEqual((await titles()).at(-1), "git log -S attempts -- src/upload.rs");
  assert.equal((await titles()).length, 6);
  assert.match(await card.locator(".agent-words").innerText(), /Now I look at who resets it/);
  await view.page.getByRole("button", { name: "Show 4 earlier" }).click();
  await view.say();
  assert.equal((await titles()).length, 10);
  assert.equal(await agent(view, "tester").locator(".inside .tool").count(), 1);
});

test("once it has ended one line is left, and what nobody has decided about", async () => {
  const view = await showing(...AGENT_ENDED);
  const card = agent(view, "Codebase Investigator");
  assert.equal(await card.locator(".line-end").innerText(), "10 calls · 42 s");
  assert.equal(await card.locator(".inside").count(), 0);
  assert.equal(await agent(view, "fixer").locator(".edits").count(), 1);
  assert.match(await agent(view, "scout").locator(".problem").innerText(), /overloaded/);
  await line(view, "Codebase Investigator").click();
  await view.say();
  assert.equal(await card.locator(".inside .tool").count(), 10);
  assert.equal(await card.locator(".markdown").innerText(), "The counter is reset in upload.rs, line 41.");
  assert.match(await card.locator(".agent-job").innerText(), /Name files and lines\./);
  await say(view, { kind: "hunksDecided", turn: 1, path: "src/upload.rs", kept: 1, rejected: 0, pending: 0, conflicts: 0 });
  assert.equal(await agent(view, "fixer").locator(".edits").count(), 0);
});

test("a question inside a folded sub-agent takes the focus, is answered by its key, and is read out with the name", async () => {
  const view = await showing(...AGENT.slice(0, -1));
  await line(view, "tester").click();
  await view.page.getByRole("textbox", { name: "Prompt" }).focus();
  await say(view, { ...APPROVAL, call: "a2_1" } as ChatEvent);
  await agent(view, "tester").locator('[data-question="7"][data-armed="true"]').waitFor();
  assert.equal(await view.page.evaluate(() => document.activeElement?.getAttribute("data-question")), "7");
  assert.match(await view.page.locator("[aria-live=assertive]").innerText(), /^tester: Pollux asks: Run cargo test -p upload/);
  await view.page.keyboard.press("Enter");
  assert.deepEqual(await posted(view, "answer"), [{ kind: "answer", approval: 7, answer: { kind: "allow" } }]);
  assert.ok(await agent(view, "tester").locator(".choice.primary").isDisabled());
});

test("the question of a sub-agent that has scrolled away is brought back with Tab", async () => {
  const view = await harness.open("dark", 480, 500);
  const lots = Array.from({ length: 60 }, (_, at) => [call(`m${at}`, `Read m${at}`, "read"), done(`m${at}`, 1)]).flat();
  await view.say({ kind: "session", session: SESSION }, MODELS);
  await view.page.getByRole("textbox", { name: "Prompt" }).fill("writing");
  await say(view, ...AGENT, ...lots);
  assert.equal(await view.page.locator('[data-question="7"]').count(), 0);
  await view.page.getByRole("textbox", { name: "Prompt" }).focus();
  await view.page.keyboard.press("Tab");
  await view.page.locator('[data-question="7"]').waitFor();
  const seen = await view.page.locator('[data-question="7"]').evaluate((card) => {
    const { top, bottom } = card.getBoundingClientRect();
    const frame = document.querySelector(".scroller")!.getBoundingClientRect();
    return document.activeElement === card && top >= frame.top && bottom <= frame.bottom;
  });
  assert.ok(seen);
});

test("a running call is stopped with its button or with Delete, once, and the turn is not", async () => {
  const view = await showing(...AGENT);
  await stop(view, /^Stop .*git log/).click();
  await view.page.keyboard.press("Delete");
  assert.equal(await view.page.evaluate(() => document.activeElement?.classList.contains("fold-line")), true);
  assert.ok(await stop(view, /^Stop .*git log/).isDisabled());
  await line(view, "Codebase Investigator").focus();
  await view.page.keyboard.press("Delete");
  assert.deepEqual(await posted(view, "stopCall"), [{ kind: "stopCall", call: "a1_9" }, { kind: "stopCall", call: "a1" }]);
  assert.deepEqual(await posted(view, "stop"), []);
  assert.equal(await agent(view, "Codebase Investigator").locator(".line-end").first().innerText(), "stopping…");
  await say(view, { kind: "refused", reason: "that call does not run" });
  assert.ok(await stop(view, /^Stop .*git log/).isEnabled());
});

test("a call that waits for an answer has no stop of its own until it runs", async () => {
  const view = await showing(...CONVERSATION);
  await stop(view, /^Stop .*cargo test/).waitFor();
  await say(view, APPROVAL);
  assert.equal(await stop(view, /^Stop .*cargo test/).count(), 0);
  await say(view, { kind: "approvalEnded", approval: 7, answer: { kind: "allow" } });
  await stop(view, /^Stop .*cargo test/).waitFor();
});

test("keys inside a sub-agent's card stop what has the focus and not what is around it", async () => {
  const view = await showing(...AGENT);
  await line(view, "Read src/part7.rs").focus();
  await view.page.keyboard.press("Delete");
  assert.deepEqual(await posted(view, "stopCall"), []);
});

test("folding a call inside a sub-agent is seen at once", async () => {
  const view = await showing(...AGENT);
  await line(view, "Read src/part7.rs").click();
  await view.say();
  assert.equal(await agent(view, "Codebase Investigator").locator(".inside .fold-body").count(), 1);
});

test("a screen reader hears what a sub-agent does with its name, and that it has ended", async () => {
  const view = await showing(...AGENT.slice(0, -1));
  const heard = () => view.page.locator("[aria-live=polite]").innerText();
  assert.equal(await heard(), "tester: cargo test -p upload");
  await say(view, { kind: "toolEnded", call: "a1", status: "succeeded", message: "Done in 5 turns", output: "", outputLines: 0, durationMs: 9 });
  assert.equal(await heard(), "Codebase Investigator: Done in 5 turns");
});

test("an answer that was given elsewhere says where", async () => {
  const ended = (by: string): ChatEvent => ({ kind: "approvalEnded", approval: 7, answer: { kind: "allow" }, by });
  for (const [by, words] of [
    ["Zed", "Allowed once: cargo test -p upload · in Zed"],
    ["Visual Studio Code", "Allowed once: cargo test -p upload · in another window"],
  ] as const) {
    const view = await showing(...CONVERSATION, APPROVAL);
    await say(view, ended(by));
    assert.equal(await view.page.locator(".answered").innerText(), words);
    await view.page.context().close();
  }
  const view = await showing(...CONVERSATION, APPROVAL);
  await view.page.locator('[data-question="7"][data-armed="true"]').press("Enter");
  await say(view, ended("Visual Studio Code"));
  assert.equal(await view.page.locator(".answered").innerText(), "Allowed once: cargo test -p upload");
});
