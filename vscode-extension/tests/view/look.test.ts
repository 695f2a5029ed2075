// Pictures of the view in every theme, to be looked at, and what must hold in all of them.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { ToView } from "../../src/chat/messages";
import { AGENT, AGENT_ENDED, APPROVAL, CARDS, CONVERSATION, EDITOR, FAILED, MODELS, PROPOSAL, QUESTIONS, SESSION } from "./scenes";
import { Harness } from "./view";

let harness: Harness;
before(async () => (harness = await Harness.start()));
after(() => harness.stop());

const events = (list: typeof CONVERSATION): ToView => ({ kind: "events", session: SESSION, events: list, replay: false });
const session: ToView = { kind: "session", session: SESSION };

const SCENES: Record<string, ToView[]> = {
  empty: [{ kind: "session", session: null }, MODELS, EDITOR],
  conversation: [session, EDITOR, events([...CONVERSATION, APPROVAL])],
  cards: [session, events(CARDS)],
  agent: [session, EDITOR, events(AGENT)],
  agentEnded: [session, EDITOR, events(AGENT_ENDED)],
  questions: [session, events(QUESTIONS)],
  proposal: [session, EDITOR, events([...CONVERSATION.slice(0, 4), PROPOSAL])],
  failed: [session, events(FAILED)],
  sessions: [
    session,
    events(CONVERSATION.slice(0, 3)),
    { kind: "showSessions" },
    {
      kind: "sessions",
      sessions: [
        { session: SESSION, title: "Fix the retry loop", updated: Date.now() - 60_000 * 3, state: "running", messages: 12 },
        { session: "2", title: "Explain the build, step by step, and why the third one takes so long", updated: Date.now() - 3_600_000 * 5, state: "recorded", messages: 4 },
        { session: "3", title: "Rename Foo to Bar", updated: Date.now() - 86_400_000 * 3, state: "idle", messages: 31 },
      ],
    },
  ],
};

for (const theme of ["dark", "light", "highContrast"] as const) {
  for (const width of [320, 480]) {
    for (const [name, messages] of Object.entries(SCENES)) {
      test(`${name} in ${theme} at ${width} px neither complains nor overflows`, async () => {
        const view = await harness.open(theme, width, name === "questions" ? 1300 : 860);
        await view.say(...messages);
        await view.screen(`${name}-${theme}-${width}`);
        const wider = await view.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        assert.equal(wider, 0);
        assert.deepEqual(view.complaints, []);
        assert.deepEqual(await view.violations(), []);
        await view.page.context().close();
      });
    }
  }
}

for (const [what, event] of Object.entries({ command: APPROVAL, edit: PROPOSAL })) {
  test(`all answers to a question about a ${what} fit on two lines of a narrow side bar, with their keys`, async () => {
    const view = await harness.open("dark", 300);
    await view.say(session, events([...CONVERSATION, event]));
    const answers = view.page.locator(".question .answers");
    const tops = await answers.locator("button").evaluateAll((all) => new Set(all.map((one) => Math.round(one.getBoundingClientRect().top))).size);
    assert.equal(tops, 2);
    for (const button of await answers.locator("button").all()) assert.equal(await button.locator("kbd").count(), 1);
    await view.page.context().close();
  });
}

test("in high contrast a card has a border and nothing painted behind it", async () => {
  for (const theme of ["dark", "highContrast"] as const) {
    const view = await harness.open(theme, 320);
    await view.say(session, events([...CONVERSATION, APPROVAL]));
    const painted = await view.page.locator(".question").evaluate((card) => getComputedStyle(card).backgroundColor !== "rgba(0, 0, 0, 0)");
    assert.equal(painted, theme === "dark");
    await view.page.context().close();
  }
});

test("in a narrow side bar the mode is read whole, whatever the model is called", async () => {
  const view = await harness.open("dark", 270);
  const opened = CONVERSATION.map((event) => (event.kind === "opened" || event.kind === "turnStarted" ? { ...event, model: "gemini-2.5-pro" } : event));
  await view.say(session, EDITOR, events(opened));
  const cut = await view.page.locator(".picker-text").evaluateAll((all) => all.map((one) => one.scrollWidth > one.clientWidth));
  assert.equal(cut[1], false);
  const wider = await view.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  assert.equal(wider, 0);
  await view.screen("narrow-dark-270");
});
