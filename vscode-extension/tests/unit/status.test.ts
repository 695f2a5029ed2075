import assert from "node:assert/strict";
import { test } from "node:test";
import type { SessionEvent } from "../../src/protocol";
import { SessionBook } from "../../src/status/sessionBook";
import { fold, newStatus } from "../../src/status/sessionState";
import { amounts } from "../../src/status/statusText";
import { duration, grouped, money } from "../../webview/words/numbers";
import { speak } from "../../webview/strings";

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

test("the status bar says in a few letters how full and how dear a session is", () => {
  assert.equal(amounts(undefined, "en"), "");
  assert.equal(amounts(newStatus("s"), "en"), "");
  assert.equal(amounts({ ...newStatus("s"), tokens: 12_345 }, "en"), " · 12k");
  assert.equal(amounts({ ...newStatus("s"), tokens: 0, cost: { amount: 0.04, currency: "USD" } }, "en"), " · $0.04");
  assert.equal(amounts({ ...newStatus("s"), tokens: 12_345, cost: { amount: 0.04, currency: "USD" } }, "en"), " · 12k · $0.04");
});

test("times have the units of the editor's language, and no minute has sixty seconds", () => {
  assert.deepEqual([12, 4_210, 9_960, 59_700, 119_600].map(duration), ["12 ms", "4.2 s", "10 s", "1 min 0 s", "2 min 0 s"]);
  assert.equal(grouped(1_204), "1,204");
  speak({ minutes: "{0} Min. {1} Sek." }, "de");
  assert.deepEqual([duration(61_000), duration(4_210), grouped(1_204)], ["1 Min. 1 Sek.", "4,2 s", "1.204"]);
  speak({});
});
