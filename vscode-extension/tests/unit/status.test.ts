import assert from "node:assert/strict";
import { test } from "node:test";
import type { SessionEvent } from "../../src/protocol";
import { News } from "../../src/status/news";
import { fold, newStatus } from "../../src/status/sessionState";

const OPENED: SessionEvent = { kind: "opened", mode: "default", model: "demo", title: "A talk" };
const STARTED: SessionEvent = { kind: "turnStarted", turn: 1, prompt: "go", model: "demo" };
const ENDED: SessionEvent = { kind: "turnEnded", turn: 1, outcome: "completed", message: "" };
const ASKED: SessionEvent = {
  kind: "approvalRequested",
  approval: 7,
  call: "1",
  tool: "run_shell_command",
  title: "Run",
  reason: "",
  subject: { kind: "command", command: "ls", folder: "", programs: ["ls"], cautions: [] },
  offers: [],
};

test("a question that is told again after a break is counted once", () => {
  const told = [OPENED, STARTED, ASKED];
  const once = told.reduce(fold, newStatus("s"));
  assert.deepEqual(once.questions, [7]);
  assert.deepEqual(told.reduce(fold, once), once);
});

test("a question that was answered during a break no longer waits", () => {
  const before = [OPENED, STARTED, ASKED].reduce(fold, newStatus("s"));
  const after = [OPENED, STARTED, ASKED, { kind: "approvalEnded", approval: 7 } satisfies SessionEvent].reduce(fold, before);
  assert.deepEqual(after.questions, []);
});

test("what comes after the past is news, and the past is not, each time it is told", () => {
  const news = new News();
  const session = "s";
  assert.equal(news.hear({ session, cursor: 3, events: [OPENED, STARTED, ENDED] }), "past");
  assert.equal(news.hear({ session, cursor: 4, events: [STARTED] }), "new");
  assert.equal(news.hear({ session, cursor: 4, events: [OPENED, STARTED, ENDED, STARTED] }), "past");
  assert.equal(news.hear({ session, cursor: 5, events: [ENDED] }), "new");
});

test("a long past comes in pieces, and none of them is news", () => {
  const news = new News();
  const session = "s";
  assert.equal(news.hear({ session, cursor: 2_000, events: [OPENED, STARTED] }), "past");
  assert.equal(news.hear({ session, cursor: 4_000, events: [ENDED] }), "past");
  assert.equal(news.hear({ session, cursor: 4_500, events: [STARTED] }), "past");
  assert.equal(news.hear({ session, cursor: 4_501, events: [ENDED] }), "new");
});

test("the past of one session does not silence another", () => {
  const news = new News();
  news.hear({ session: "one", cursor: 1, events: [OPENED] });
  news.hear({ session: "two", cursor: 2_000, events: [OPENED] });
  assert.equal(news.hear({ session: "one", cursor: 2, events: [STARTED] }), "new");
});
