// Questions of the agent: which keys answer them, what is said about them, and what an answer would allow.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { ChatEvent, FromView } from "../../src/chat/messages";
import type { QuestionForm } from "../../src/protocol";
import { APPROVAL, CARDS, CONVERSATION, FAILED, MODELS, PROPOSAL, QUESTIONS, SESSION } from "./scenes";
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

const card = (view: View, number: number) => view.page.locator(`[data-question="${number}"][data-armed="true"]`);
const told = (view: View) => view.page.locator("[aria-live=assertive]").innerText();

const ASKED: ChatEvent = {
  kind: "approvalRequested",
  approval: 8,
  call: "12",
  tool: "ask_user",
  title: "What shall it be called?",
  reason: "",
  subject: { kind: "questions", questions: [{ header: "Name", text: "What shall it be called?", answer: { kind: "text" }, optional: false }] },
  offers: [],
};

test("Escape leaves a question of the agent and does not stop the turn, and what is half written is not thrown away by one key", async () => {
  const view = await showing(...CONVERSATION, ASKED);
  await card(view, 8).locator("input").fill("Cas");
  await view.page.keyboard.press("Escape");
  assert.deepEqual(await posted(view, "answer"), []);
  assert.equal(await view.page.evaluate(() => document.activeElement?.getAttribute("data-question")), "8");
  assert.equal(await card(view, 8).locator("input").inputValue(), "Cas");
  await view.page.keyboard.press("Escape");
  assert.deepEqual(await posted(view, "answer"), [{ kind: "answer", approval: 8, answer: { kind: "deny", feedback: null } }]);
  assert.deepEqual(await posted(view, "stop"), []);
});

test("of several choices each stays one, whatever its label has in it", async () => {
  const towns = ["Paris, Texas", "Paris", "Rome"];
  const answer: QuestionForm = { kind: "choice", several: true, options: towns.map((label) => ({ label, description: "" })) };
  const question = { header: "Towns", text: "Which towns?", answer, default: ["Paris, Texas"], optional: false };
  const view = await showing(...CONVERSATION, { ...ASKED, subject: { kind: "questions", questions: [question] } });
  const box = (name: string) => card(view, 8).getByRole("checkbox", { name, exact: true });
  assert.deepEqual(await Promise.all(towns.map((name) => box(name).isChecked())), [true, false, false]);
  await box("Paris, Texas").uncheck();
  assert.ok(await card(view, 8).getByRole("button", { name: /Answer/ }).isDisabled());
  await box("Rome").check();
  await box("Paris, Texas").check();
  await card(view, 8).getByRole("button", { name: /Answer/ }).click();
  const replies = { 0: ["Rome", "Paris, Texas"] };
  assert.deepEqual(await posted(view, "answer"), [{ kind: "answer", approval: 8, answer: { kind: "replies", replies } }]);
});

/** As it comes while an input method puts letters together. */
const composed = (view: View, selector: string, key: string) =>
  view.page.locator(selector).evaluate((field, pressed) => field.dispatchEvent(new KeyboardEvent("keydown", { key: pressed, isComposing: true, bubbles: true, cancelable: true })), key);

test("a key that belongs to an input method answers, renames, sends and stops nothing", async () => {
  const view = await showing(...CONVERSATION, ASKED);
  await card(view, 8).locator("input").fill("名");
  await composed(view, '[data-question="8"] input', "Enter");
  await composed(view, '[data-question="8"] input', "Escape");
  await say(view, { kind: "approvalEnded", approval: 8 }, APPROVAL, { kind: "promptQueued", id: 3, text: "and then" });
  await card(view, 7).focus();
  await view.page.keyboard.press("Escape");
  await view.page.locator(".reason .field").fill("名");
  await composed(view, ".reason .field", "Enter");
  await composed(view, ".reason .field", "Escape");
  await view.page.locator(".reason .field").waitFor();
  await view.page.getByRole("button", { name: "Edit the queued prompt" }).click();
  await view.page.locator(".queue textarea").fill("名");
  await composed(view, ".queue textarea", "Enter");
  await view.page.locator(".queue textarea").waitFor();
  await view.page.getByRole("button", { name: "Rename the session" }).click();
  await view.page.locator(".header .field").fill("名");
  await composed(view, ".header .field", "Enter");
  await view.page.locator(".header .field").waitFor();
  for (const kind of ["answer", "renameSession", "stop"] as const) assert.deepEqual(await posted(view, kind), [], kind);
});

test("keys of the editor around get there from a field too", async () => {
  const view = await showing(...CONVERSATION, APPROVAL, { kind: "promptQueued", id: 3, text: "and then" });
  await view.page.evaluate(() => {
    const seen: string[] = [];
    Object.assign(window, { seen });
    window.addEventListener("keydown", (event) => seen.push(event.key));
  });
  await card(view, 7).focus();
  await view.page.keyboard.press("Escape");
  await view.page.locator(".reason .field:focus").waitFor();
  await view.page.keyboard.press("F1");
  await view.page.getByRole("button", { name: "Edit the queued prompt" }).click();
  await view.page.locator(".queue textarea:focus").waitFor();
  await view.page.keyboard.press("F2");
  await view.page.getByRole("button", { name: "Rename the session" }).click();
  await view.page.locator(".header .field").focus();
  await view.page.keyboard.press("F3");
  assert.deepEqual(await view.page.evaluate(() => Reflect.get(window, "seen") as string[]), ["F1", "F2", "F3"]);
});

test("a screen reader is told the keys that answer this kind of question", async () => {
  const [, , enterPlan, plan, stuck] = QUESTIONS;
  for (const [event, words] of [
    [APPROVAL, /cargo test -p upload.*Enter allows once, Escape rejects/],
    [PROPOSAL, /edit src\/net\/retry\.ts, 3 hunks\. Enter keeps, Escape rejects/],
    [ASKED, /What shall it be called\? Enter answers, Escape leaves it/],
    [enterPlan, /Enter agrees/],
    [plan, /Enter carries it out/],
    [stuck, /Enter goes on, Escape stops/],
  ] as const) {
    const view = await showing(...CONVERSATION, event!);
    assert.match(await told(view), words);
    await view.page.context().close();
  }
});

test("what S and W allow is seen before they are pressed, with the rule and its file in the hint", async () => {
  const view = await showing(...CONVERSATION, APPROVAL);
  assert.equal(await card(view, 7).locator(".allowed").innerText(), "S W without asking again: cargo test …");
  const hint = (name: RegExp) => card(view, 7).getByRole("button", { name }).getAttribute("title");
  assert.match((await hint(/Workspace/)) ?? "", /Saved in \.gemini\/policies\/saved\.toml\n\[\[rule\]\][^]*commandPrefix = "cargo test"/);
  assert.match((await hint(/Session/)) ?? "", /Holds until the session ends\n\[\[rule\]\]/);
});

test("a turn that failed is said once, and not again when its card is scrolled back into view", async () => {
  const view = await showing(...FAILED);
  assert.match(await told(view), /The turn did not finish\. the API key was refused/);
  await view.page.locator(".failure").waitFor();
  assert.equal(await view.page.locator(".rows [role=alert], .rows [aria-live]").count(), 0);
  await say(view, { kind: "turnStarted", turn: 2, prompt: "again", model: "demo" });
  assert.equal(await told(view), "");
});

test("nothing has a name that a screen reader would not read", async () => {
  const view = await showing(...CONVERSATION, ...CARDS.slice(4), APPROVAL);
  const nameless = await view.page.evaluate(() =>
    [...document.querySelectorAll("div[aria-label]:not([role]), span[aria-label]:not([role])")].map((one) => one.className),
  );
  assert.deepEqual(nameless, []);
});
