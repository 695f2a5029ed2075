import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChatEvent } from "../../../src/chat/messages";
import { apply, applyAll } from "../../../webview/state/apply";
import { emptySession, type Row, type Session } from "../../../webview/state/model";
import { isShown } from "../../../webview/state/rows";
import { randomEvents, randomText, seeded } from "./random";

function fold(events: ChatEvent[]): Session {
  const session = emptySession();
  applyAll(session, events);
  return session;
}

function rows(session: Session): Row[] {
  return session.rows.filter(isShown);
}

const START: ChatEvent = { kind: "turnStarted", turn: 1, prompt: "why?\nmore", model: "demo" };
const END: ChatEvent = { kind: "turnEnded", turn: 1, outcome: "completed", message: "" };
const text = (words: string): ChatEvent => ({ kind: "text", text: words });

const call = (id: string, title: string): ChatEvent => ({ kind: "toolStarted", call: id, title, tool: "t", activity: "other", input: "" });
const done = (id: string): ChatEvent => ({
  kind: "toolEnded",
  call: id,
  status: "succeeded",
  message: "",
  output: "",
  outputLines: 0,
  durationMs: 1,
});

function prose(...pieces: string[]): string[] {
  const session = fold([START, ...pieces.map(text), END]);
  return rows(session).flatMap((row) =>
    row.kind === "prose" ? [row.text.trim()] : row.kind === "code" ? [`${row.language}|${row.text}`] : [],
  );
}

test("any split into batches gives the same state", () => {
  for (let seed = 1; seed <= 60; seed += 1) {
    const random = seeded(seed);
    const events = randomEvents(random, 300);
    const whole = fold(events);
    const parts = emptySession();
    for (let from = 0; from < events.length; ) {
      const size = 1 + Math.floor(random() * 20);
      applyAll(parts, structuredClone(events.slice(from, from + size)));
      from += size;
    }
    assert.deepEqual(parts, whole, `seed ${seed}`);
  }
});

test("text is cut the same however it was cut on the way", () => {
  for (let seed = 1; seed <= 200; seed += 1) {
    const random = seeded(seed);
    const whole = randomText(random, 60);
    const letters = prose(...Array.from(whole));
    assert.deepEqual(letters, prose(whole), `seed ${seed}`);
  }
});

test("no text is lost or said twice, whatever the Markdown", () => {
  const said = (words: string): string => words.replace(/[`~]{3,}\w*/g, "").replace(/\s/g, "");
  for (let seed = 1; seed <= 200; seed += 1) {
    // A fence's line may hold words that are its language: those are not prose.
    const whole = randomText(seeded(seed), 60).replace(/[`~]/g, "");
    assert.equal(said(prose(whole).join("")), said(whole), `seed ${seed}`);
  }
});

test("paragraphs and fences are rows of their own, and a list stays together", () => {
  assert.deepEqual(prose("One\n\nTwo\n\n- a\n\n- b\n\n```rust\nfn main() {}\n\n\n```\nAfter"), [
    "One",
    "Two\n\n- a\n\n- b",
    "rust|fn main() {}\n\n\n",
    "After",
  ]);
});

test("a fence that is never closed ends with the turn", () => {
  assert.deepEqual(prose("```sh\nls", " -l"), ["sh|ls -l"]);
});

test("a line without an end is cut into rows of bounded size", () => {
  const session = fold([START, text("x".repeat(100_000))]);
  assert.ok(rows(session).every((row) => row.kind !== "prose" || row.text.length + row.tail.length <= 8_000));
  assert.equal(rows(session).length, 14);
});

test("only the last row of an answer changes while text streams in", () => {
  const session = fold([START, text("First paragraph.\n\nSecond ")]);
  const before = session.rows.map((row) => row.version);
  apply(session, text("goes on"));
  const changed = session.rows.filter((row, place) => row.version !== before[place]);
  assert.equal(changed.length, 1);
  assert.equal(changed[0], session.rows.at(-1));
});

test("edits that follow each other share a card and count their hunks", () => {
  const hunks = [{ baseLine: 4, line: 4, removed: "a\n", added: "b\nc\n" }];
  const session = fold([
    START,
    call("1", "Edit a.rs"),
    { kind: "editMade", proposal: 1, call: "1", path: "a.rs", hunks, allEdits: [] },
    done("1"),
    call("2", "Edit b.rs"),
    { kind: "editMade", proposal: 2, call: "2", path: "b.rs", hunks, allEdits: [] },
    done("2"),
    { kind: "hunksDecided", turn: 1, path: "a.rs", kept: 1, rejected: 0, pending: 0, conflicts: 0 },
  ]);
  const card = rows(session)[1];
  assert.equal(rows(session).length, 2);
  assert.ok(card?.kind === "edits");
  assert.deepEqual(card.files, [
    { path: "a.rs", line: 4, added: 2, removed: 1, ...NONE, kept: 1 },
    { path: "b.rs", line: 4, added: 2, removed: 1, ...NONE, pending: 1 },
  ]);
});

const NONE = { proposed: 0, pending: 0, conflicts: 0, kept: 0, rejected: 0, agreed: 0, declined: 0 };
const TWO = [
  { baseLine: 4, line: 4, removed: "a\n", added: "b\n" },
  { baseLine: 9, line: 9, removed: "c\n", added: "d\n" },
];
const edit = (kind: "editProposed" | "editMade", proposal: number, id: string, hunks = TWO): ChatEvent => ({ kind, proposal, call: id, path: "a.rs", hunks, allEdits: [] });

function theFile(session: Session) {
  const card = rows(session).find((row) => row.kind === "edits");
  assert.ok(card?.kind === "edits");
  return card.files[0];
}

test("an edit that was kept and met a person's lines is a conflict until that is settled, and not kept", () => {
  const session = fold([
    START,
    call("1", "Edit a.rs"),
    edit("editProposed", 1, "1"),
    { kind: "editDecided", proposal: 1, decisions: ["keep", "keep"] },
    { kind: "editContested", proposal: 1, conflicts: 1 },
    done("1"),
    END,
  ]);
  const answered = rows(session).find((row) => row.kind === "question");
  assert.ok(answered?.kind === "question");
  assert.equal(answered.conflict, "open");
  const lines = { path: "a.rs", line: 4, added: 2, removed: 2 };
  assert.deepEqual(theFile(session), { ...lines, ...NONE, agreed: 1, conflicts: 1 });
  const counts = { kind: "hunksDecided", turn: 1, path: "a.rs", rejected: 0 } as const;
  apply(session, { ...counts, kept: 1, pending: 0, conflicts: 0 });
  assert.equal(answered.conflict, "settled");
  assert.deepEqual(theFile(session), { ...lines, ...NONE, agreed: 1, kept: 1 });
  apply(session, { ...counts, kept: 0, pending: 1, conflicts: 1 });
  assert.equal(answered.conflict, "open");
});

test("edits that were asked about one after the other share a card, which says how each was answered", () => {
  const asked = (proposal: number, decision: "keep" | "reject"): ChatEvent[] => [
    call(String(proposal), "Edit a.rs"),
    edit("editProposed", proposal, String(proposal)),
    { kind: "editDecided", proposal, decisions: [decision, "keep"] },
    done(String(proposal)),
  ];
  const session = fold([START, ...asked(1, "keep"), ...asked(2, "reject")]);
  assert.deepEqual(rows(session).map(({ kind }) => kind), ["prompt", "edits"]);
  assert.deepEqual(theFile(session), { path: "a.rs", line: 4, added: 4, removed: 4, ...NONE, agreed: 3, declined: 1 });
});

test("what a person wrote instead of a proposal counts once, and is kept", () => {
  const session = fold([
    START,
    call("1", "Edit a.rs"),
    edit("editProposed", 1, "1"),
    { kind: "editDecided", proposal: 1, decisions: ["keep", "keep"] },
    edit("editMade", 2, "1", TWO.slice(0, 1)),
    done("1"),
  ]);
  assert.deepEqual(theFile(session), { path: "a.rs", line: 4, added: 1, removed: 1, ...NONE, agreed: 1 });
});

test("where nothing is asked and nothing is reviewed, an edit is kept as soon as it is made", () => {
  const session = fold([{ kind: "modeChanged", mode: "yolo" }, START, call("1", "Edit a.rs"), edit("editMade", 1, "1"), done("1")]);
  assert.equal(theFile(session)?.agreed, 2);
  assert.equal(theFile(session)?.pending, 0);
});

const agent = (id: string, title: string): ChatEvent => ({ ...call(id, title), activity: "agent" }) as ChatEvent;
const within = (id: string, parent: string): ChatEvent => ({ ...call(id, id), parent }) as ChatEvent;

/** Calls, each with what stands inside it. */
function nested(all: Row[]): unknown[] {
  return all.filter(isShown).flatMap((row) => (row.kind === "tool" ? [row.inside.length === 0 ? row.call : [row.call, nested(row.inside)]] : row.kind === "prompt" ? [] : [row.kind]));
}

test("what sub-agents do stands inside their calls, however they take turns", () => {
  const session = fold([START, agent("one", "scout: Look"), agent("two", "tester: Test"), within("a", "one"), within("b", "two"), done("b"), within("c", "one"), done("one"), call("next", "Read a.rs")]);
  assert.deepEqual(nested(session.rows), [["one", ["a", "c"]], ["two", ["b"]], "next"]);
});

test("questions and edits of a sub-agent stand inside its call, and are among those that wait", () => {
  const session = fold([
    START,
    agent("one", "scout: Look"),
    agent("two", "tester: Test"),
    within("run", "one"),
    { kind: "approvalRequested", approval: 1, call: "run", tool: "t", title: "Run it", reason: "", subject: { kind: "other", arguments: "{}" }, offers: [] },
    within("edit", "two"),
    { kind: "editProposed", proposal: 2, call: "edit", path: "a.rs", hunks: [{ baseLine: 1, line: 1, removed: "", added: "x\n" }], allEdits: [] },
  ]);
  assert.deepEqual(nested(session.rows), [["one", ["run", "question"]], ["two", ["edits", "question"]]]);
  assert.deepEqual(session.questions.map((row) => row.question.number), [1, 2]);
  apply(session, { kind: "editDecided", proposal: 2, decisions: ["keep"] });
  apply(session, { kind: "editContested", proposal: 2, conflicts: 1 });
  assert.deepEqual(nested(session.rows), [["one", ["run", "question"]], ["two", ["edits", "question"]]], "a conflict brings its question back");
});

test("a change inside a sub-agent is a change of its call, and of no other row", () => {
  const session = fold([START, call("before", "Read a.rs"), agent("one", "scout: Look"), within("a", "one")]);
  const before = session.rows.map((row) => row.version);
  for (const event of [{ kind: "toolPrinted", call: "a", text: "x\n" }, within("b", "one"), done("a")] as ChatEvent[]) apply(session, event);
  assert.deepEqual(session.rows.map((row, place) => row.version - (before[place] ?? 0)), [0, 0, 3]);
});

test("of a sub-agent its turns are counted, its thought is the latest, and its result is kept instead of its words", () => {
  const session = fold([
    START,
    agent("one", "scout: Look"),
    { kind: "toolProgress", call: "one", message: "Finding the loop", done: 1, total: 30 },
    { kind: "toolPrinted", call: "one", text: "I look around.\n" },
    { kind: "toolProgress", call: "one", done: 2, total: 30 },
  ]);
  const row = session.rows.at(-1);
  assert.ok(row?.kind === "tool");
  assert.deepEqual([row.progress, row.turns, row.output], ["Finding the loop", { used: 2, most: 30 }, "I look around.\n"]);
  apply(session, { ...done("one"), output: "Result:\nfound", outputLines: 2 } as ChatEvent);
  assert.deepEqual([row.progress, row.output, row.outputLines], ["", "Result:\nfound", 2]);
});

test("what happens now names the sub-agent that does it", () => {
  const session = fold([START, agent("one", "scout: Look"), within("a", "one")]);
  assert.equal(session.doing?.words, "scout: a");
  apply(session, done("a"));
  assert.deepEqual([session.doing.what, session.doing.words], ["tool", "scout: Look"]);
  apply(session, done("one"));
  assert.equal(session.doing.what, "thinking");
});

test("a question waits until it is answered, in this window or another", () => {
  const asked: ChatEvent = {
    kind: "approvalRequested",
    approval: 7,
    call: "1",
    tool: "run_shell_command",
    title: "Run cargo test",
    reason: "no rule allows it",
    subject: { kind: "command", command: "cargo test", folder: "upload", programs: ["cargo"], cautions: [] },
    offers: [],
  };
  const session = fold([START, asked]);
  assert.equal(session.questions.length, 1);
  apply(session, { kind: "approvalEnded", approval: 7, answer: { kind: "allow" } });
  assert.equal(session.questions.length, 0);
  const row = session.rows.at(-1);
  assert.ok(row?.kind === "question");
  assert.equal(row.state, "answered");
});

test("endless output is bounded and its lines are counted", () => {
  const session = fold([START, call("1", "yes")]);
  for (let times = 0; times < 10_000; times += 1) apply(session, { kind: "toolPrinted", call: "1", text: "yes\n".repeat(100) });
  const row = session.rows.at(-1);
  assert.ok(row?.kind === "tool");
  assert.equal(row.outputLines, 1_000_000);
  assert.ok(row.output.length <= 128 * 1024);
});

test("rewinding takes the later turns away and keeps the earlier ones", () => {
  const session = fold([
    START,
    text("one"),
    END,
    { kind: "turnStarted", turn: 2, prompt: "second", model: "demo" },
    text("two"),
    { kind: "turnEnded", turn: 2, outcome: "completed", message: "" },
    { kind: "rewound", turn: 2 },
  ]);
  assert.deepEqual(rows(session).map((row) => row.kind), ["prompt", "prose", "note"]);
  assert.equal(session.lastPrompt?.text, "why?\nmore");
});

test("an event of a kind that is not known is left alone", () => {
  const session = fold([START]);
  apply(session, { kind: "somethingNew", more: 1 } as unknown as ChatEvent);
  assert.deepEqual(rows(session).map((row) => row.kind), ["prompt"]);
});

test("a failed turn offers a way out until the next one starts", () => {
  const session = fold([START, { kind: "turnEnded", turn: 1, outcome: "failed", message: "the key is missing" }]);
  const failed = session.rows.at(-1);
  assert.ok(failed?.kind === "error" && !failed.over);
  apply(session, { kind: "turnStarted", turn: 2, prompt: "again", model: "demo" });
  assert.ok(failed.over);
});

test("queued prompts are edited and put into another order", () => {
  const queued = (id: number, words: string): ChatEvent => ({ kind: "promptQueued", id, text: words });
  const session = fold([
    START,
    queued(1, "one"),
    queued(2, "two"),
    queued(3, "three"),
    { kind: "promptEdited", id: 2, text: "two, and more" },
    { kind: "queueOrdered", order: [3, 1, 2] },
    { kind: "promptUnqueued", id: 1 },
  ]);
  assert.deepEqual(
    session.queue.map(({ id, text: words }) => `${id} ${words}`),
    ["3 three", "2 two, and more"],
  );
});

test("a turn that was interrupted says so, and the next one takes its buttons away", () => {
  const interrupted: ChatEvent = { kind: "turnEnded", turn: 1, outcome: "interrupted", message: "the turn was interrupted" };
  const session = fold([START, text("half an "), interrupted]);
  assert.deepEqual(
    rows(session).map(({ kind }) => kind),
    ["prompt", "prose", "error"],
  );
  const last = rows(session).at(-1);
  assert.ok(last?.kind === "error" && last.outcome === "interrupted" && !last.over);
  apply(session, { kind: "turnStarted", turn: 2, prompt: "go on", model: "demo" });
  assert.ok(last.over);
});
