import assert from "node:assert/strict";
import { test } from "node:test";
import type { SessionEvent } from "../../src/protocol";
import { SessionBook } from "../../src/status/sessionBook";
import { fold, newStatus } from "../../src/status/sessionState";
import { money } from "../../webview/words/numbers";

const OPENED: SessionEvent = { kind: "opened", mode: "default", model: "demo", title: "A talk" };
const STARTED: SessionEvent = { kind: "turnStarted", turn: 1, prompt: "go", model: "demo" };
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

test("a question in a session that was left is not counted, also if something of it comes late", () => {
  const book = new SessionBook();
  book.hear("one", [OPENED, STARTED, ASKED]);
  assert.equal(book.questions, 1);
  book.leave("one");
  assert.equal(book.hear("one", [ASKED]), "same");
  assert.equal(book.questions, 0);
  assert.equal(book.current, undefined, "and nothing is said to run");
});

test("whoever comes back to a session finds its question again", () => {
  const book = new SessionBook();
  book.hear("one", [OPENED, STARTED, ASKED]);
  book.leave("one");
  assert.equal(book.hear("one", [OPENED, STARTED, ASKED]), "moved");
  assert.equal(book.questions, 1);
});

test("who wants to answer is led to where somebody asks, and stays where they are if it is there", () => {
  const book = new SessionBook();
  book.hear("one", [OPENED, STARTED, ASKED]);
  book.hear("two", [OPENED, STARTED]);
  assert.equal(book.asking("two"), "one");
  book.hear("two", [ASKED]);
  assert.equal(book.asking("two"), "two");
  assert.equal(book.asking(undefined), "one");
  book.leave("one");
  book.leave("two");
  assert.equal(book.asking("two"), undefined);
});

test("what a session costs is what its last event says, in the money of the settings", () => {
  const dear = [OPENED, { kind: "cost", turn: 0.25, session: 1.5, currency: "EUR" }, { kind: "cost", turn: 0.5, session: 1.75, currency: "EUR" }] as const;
  assert.deepEqual(dear.reduce(fold, newStatus("s")).cost, { amount: 1.75, currency: "EUR" });
  assert.equal(fold(newStatus("s"), OPENED).cost, undefined, "without prices there is nothing to say");
});

test("money is written as people write it, and a tenth of a cent is not nothing", () => {
  assert.equal(money(1.75, "EUR", "en"), "€1.75");
  assert.equal(money(0.00042, "USD", "en"), "$0.00042");
  assert.equal(money(3, "credits", "en"), "3.00 credits");
});
