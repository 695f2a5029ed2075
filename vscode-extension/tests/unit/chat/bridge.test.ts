import assert from "node:assert/strict";
import { test } from "node:test";
import { Bridge } from "../../../src/chat/bridge";
import { Composing } from "../../../src/chat/composing";
import type { Desk } from "../../../src/chat/desk";
import type { Attachment, ContextRules, FromView, Switched, ToView } from "../../../src/chat/messages";
import type { SessionMode } from "../../../src/protocol";
import type { PlacedHunk } from "../../../src/review/hunks";
import type { Server } from "../../../src/server/server";
import { proposal, shownHunk } from "./proposed";

interface Asked {
  method: string;
  params: unknown;
}

const CONTEXT = { activeFile: true, selection: true, openFiles: true, diagnostics: false };
const IMAGE: Attachment = { kind: "image", mimeType: "image/png", data: "AA==", name: "a  shot.png" };
const NOTE: Attachment = { kind: "text", label: "terminal", text: "ok" };
const prompt = (text: string, attachments: Attachment[] = []): FromView => ({ kind: "prompt", how: "queue", text, attachments, context: CONTEXT });

/** A server that answers from a table, and remembers what it was asked. */
function setUp(answers: Record<string, unknown> = {}) {
  const asked: Asked[] = [];
  const posted: ToView[] = [];
  const remembered: (string | undefined)[] = [];
  const left: string[] = [];
  const shown: PlacedHunk[] = [];
  const decided: [number, string][] = [];
  const drafts: { name: string; hunks: number }[] = [];
  const modes: { start: SessionMode } = { start: "default" };
  const rules: ContextRules = { activeFile: "auto", selection: "auto" };
  const shelf: { switched: Switched; attachments: Attachment[] } = { switched: {}, attachments: [] };
  const table: Record<string, unknown> = {
    "pollux/sessionStart": { session: "new" },
    "pollux/sessionResume": { session: "old" },
    "pollux/modelList": { models: [{ id: "demo", label: "demo" }], current: "demo" },
    "pollux/sessionList": { sessions: [] },
    ...answers,
  };
  const server = {
    state: { kind: "ready" },
    request: (method: string, params: unknown) => {
      asked.push({ method, params });
      const answer = method in table ? table[method] : {};
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
    execute: (command: string, argument: unknown) => {
      asked.push({ method: command, params: argument });
      return Promise.resolve({ prompt: "again" });
    },
  };
  const desk = { context: () => ({ rules, examples: [] }), folders: () => [], window: () => "Visual Studio Code" };
  const bridge = new Bridge({
    server: server as unknown as Server,
    review: {
      reviewTurn: nothing,
      keepAll: nothing,
      rejectAll: nothing,
      decideFile: nothing,
      undoTurn: nothing,
      proposedIn: () => shown,
      decideHunk: (placed, decision) => {
        decided.push([placed.hunk.index, decision]);
        return Promise.resolve();
      },
      draft: (name, hunks, keep) => {
        drafts.push({ name, hunks: hunks.length });
        return hunks.length === 0 ? Promise.resolve() : keep("as the person wants it\n");
      },
    },
    startsWith: () => modes.start,
    left: (session) => left.push(session),
    desk: desk as unknown as Desk,
    post: (message) => posted.push(message),
    strings: () => ({}),
    words: { noSession: "no session", turn: (turn) => `turn ${turn}` },
    composing: new Composing({
      switched: () => shelf.switched,
      keepSwitched: (switched) => (shelf.switched = switched),
      attachments: () => Promise.resolve(shelf.attachments),
      keepAttachments: (attachments) => (shelf.attachments = attachments),
    }),
    memory: { recall: () => remembered.at(-1), keep: (session) => remembered.push(session) },
  });
  return { bridge, asked, posted, remembered, left, shown, decided, drafts, rules, modes, shelf };
}

function nothing(): Promise<void> {
  return Promise.resolve();
}

/** Everything that waits on answered promises has run. */
async function settled(): Promise<void> {
  await new Promise((done) => setImmediate(done));
}

test("the first prompt starts one session, and the second waits for it", async () => {
  const { bridge, asked, posted } = setUp();
  bridge.hear(prompt("one"));
  bridge.hear(prompt("two"));
  await settled();
  assert.deepEqual(asked.map(({ method }) => method), [
    "pollux/sessionStart",
    "pollux/sessionUnfollow",
    "pollux/sessionFollow",
    "pollux/promptQueue",
    "pollux/promptQueue",
  ]);
  assert.deepEqual(asked.at(-1)?.params, { session: "new", text: "two", attachments: [], context: CONTEXT });
  assert.deepEqual(posted, [{ kind: "session", session: "new" }]);
});

test("a new session begins as the settings say, before anything is asked in it", async () => {
  const { bridge, asked, modes } = setUp();
  modes.start = "autoEdit";
  bridge.hear(prompt("one"));
  await settled();
  assert.deepEqual(asked[1], { method: "pollux/modeSet", params: { session: "new", mode: "autoEdit" } });
  assert.equal(asked.at(-1)?.method, "pollux/promptQueue");
});

test("one call is stopped without the turn", async () => {
  const { bridge, asked } = setUp();
  bridge.hear({ kind: "openSession", session: "old" });
  await settled();
  bridge.hear({ kind: "stopCall", call: "c1" });
  await settled();
  assert.deepEqual(asked.at(-1), { method: "pollux/callStop", params: { session: "old", call: "c1" } });
});

test("a request that waits is sent now", async () => {
  const { bridge, asked } = setUp();
  bridge.hear({ kind: "openSession", session: "old" });
  await settled();
  bridge.hear({ kind: "retryNow" });
  await settled();
  assert.deepEqual(asked.at(-1), { method: "pollux/retryNow", params: { session: "old" } });
});

test("a view that comes back is rebuilt from the first event", async () => {
  const { bridge, asked, posted, remembered } = setUp();
  remembered.push("old");
  bridge.hear({ kind: "ready" });
  await settled();
  assert.deepEqual(asked.slice(1), [
    { method: "pollux/sessionResume", params: { session: "old" } },
    { method: "pollux/sessionUnfollow", params: { session: "old" } },
    { method: "pollux/sessionFollow", params: { session: "old", cursor: 0 } },
  ]);
  assert.deepEqual(posted.map(({ kind }) => kind), ["start", "editor", "models", "session"]);
});

test("a window that is opened again shows what it showed, unless that was left", async () => {
  const { bridge, asked, remembered } = setUp();
  remembered.push("old");
  bridge.hear({ kind: "ready" });
  await settled();
  assert.ok(asked.some(({ method }) => method === "pollux/sessionResume"));
  bridge.newSession();
  assert.equal(remembered.at(-1), undefined);
});

test("a session that is gone leaves an empty chat and no complaint", async () => {
  const { bridge, posted, remembered } = setUp({ "pollux/sessionResume": new Error("there is no such session") });
  remembered.push("gone");
  bridge.hear({ kind: "ready" });
  await settled();
  assert.deepEqual(posted.at(-1), { kind: "session", session: null });
  assert.ok(!posted.some(({ kind }) => kind === "failed"));
});

test("events of another session are not for this view", async () => {
  const { bridge, posted } = setUp();
  bridge.hear(prompt("one"));
  await settled();
  bridge.events({ session: "other", cursor: 1, past: false, events: [{ kind: "text", text: "no" }] });
  bridge.events({ session: "new", cursor: 1, past: false, events: [{ kind: "text", text: "yes" }] });
  assert.deepEqual(posted.slice(1), [{ kind: "events", session: "new", events: [{ kind: "text", text: "yes" }], replay: false }]);
});

test("the view is told what is said again and what has just happened, whenever the server's answer comes", async () => {
  const { bridge, posted } = setUp();
  bridge.hear(prompt("one"));
  await settled();
  bridge.events({ session: "new", cursor: 2, past: true, events: [{ kind: "opened", mode: "default", model: "demo" }, { kind: "text", text: "old" }] });
  bridge.events({ session: "new", cursor: 3, past: false, events: [{ kind: "text", text: "fresh" }] });
  const told = posted.flatMap((message) => (message.kind === "events" ? [message.replay] : []));
  assert.deepEqual(told, [true, false]);
});

test("a session that a new host shows from its first event again takes the place of what was shown", async () => {
  const { bridge, posted } = setUp();
  bridge.hear(prompt("hi"));
  await settled();
  const opened = { kind: "opened", mode: "default", model: "demo" } as const;
  bridge.events({ session: "new", cursor: 2, past: true, events: [opened, { kind: "text", text: "once" }] });
  bridge.events({ session: "new", cursor: 3, past: true, events: [opened, { kind: "text", text: "once" }] });
  const told = posted.flatMap((message) => (message.kind === "session" ? ["session"] : message.kind === "events" ? ["events"] : []));
  assert.deepEqual(told.slice(-4), ["session", "events", "session", "events"]);
});

test("what comes between leaving a session and following the next is dropped", async () => {
  const { bridge, posted } = setUp();
  bridge.hear(prompt("one"));
  await settled();
  bridge.newSession();
  bridge.events({ session: "new", cursor: 2, past: false, events: [{ kind: "text", text: "late" }] });
  assert.ok(!posted.some(({ kind }) => kind === "events"));
});

test("a prompt that the server refuses goes back to the composer, with what was attached to it", async () => {
  const { bridge, posted } = setUp({ "pollux/promptQueue": new Error("the image is larger than 10 MB") });
  bridge.hear(prompt("look", [IMAGE]));
  await settled();
  assert.deepEqual(posted.at(-1), { kind: "failed", message: "the image is larger than 10 MB", prompt: { text: "look", attachments: [IMAGE] } });
});

test("a prompt is tried again with what was attached to it, which the server has", async () => {
  const { bridge, asked } = setUp({ "pollux/promptAttachments": { attachments: [IMAGE, NOTE] } });
  bridge.hear(prompt("look"));
  await settled();
  bridge.hear({ kind: "retry", turn: 4, text: "look", context: CONTEXT });
  await settled();
  assert.deepEqual(asked.slice(-2), [
    { method: "pollux/promptAttachments", params: { session: "new", prompt: { kind: "turn", turn: 4 } } },
    { method: "pollux/promptQueue", params: { session: "new", text: "look", attachments: [IMAGE, NOTE], context: CONTEXT } },
  ]);
});

test("nothing is sent with half of what was attached to it", async () => {
  const { bridge, asked, posted } = setUp({ "pollux/promptAttachments": new Error("the session has no such prompt") });
  bridge.hear(prompt("look"));
  await settled();
  bridge.hear({ kind: "retry", turn: 4, text: "look", context: CONTEXT });
  await settled();
  assert.equal(asked.filter(({ method }) => method === "pollux/promptQueue").length, 1);
  assert.deepEqual(posted.at(-1), { kind: "failed", message: "the session has no such prompt", prompt: null });
});

test("a prompt that is taken back is taken back whole", async () => {
  const { bridge, asked, posted } = setUp({ "pollux/promptAttachments": { attachments: [{ ...IMAGE, name: null }] } });
  bridge.hear(prompt("look"));
  await settled();
  bridge.hear({ kind: "attachAgain", prompt: { kind: "queued", id: 3 } });
  await settled();
  assert.deepEqual(asked.at(-1)?.params, { session: "new", prompt: { kind: "queued", id: 3 } });
  assert.deepEqual(posted.at(-1), { kind: "attachment", attachment: { ...IMAGE, name: "" } });
});

test("a view that comes back finds what waited in the composer, and a server that comes back does not say it twice", async () => {
  const { bridge, posted, shelf } = setUp();
  shelf.switched = { activeFile: false };
  bridge.hear({ kind: "attached", attachments: [IMAGE] });
  bridge.hear({ kind: "ready" });
  await settled();
  const told = (): ToView[] => posted.filter(({ kind }) => kind === "composing");
  assert.deepEqual(told(), [{ kind: "composing", attachments: [IMAGE], switched: { activeFile: false } }]);
  bridge.connection({ kind: "starting" });
  bridge.connection({ kind: "ready" });
  await settled();
  assert.equal(told().length, 1);
  bridge.hear({ kind: "switched", switched: {} });
  assert.deepEqual(shelf.switched, {});
});

test("what the settings leave out is not sent, whatever the view says", async () => {
  const { bridge, asked, rules } = setUp();
  rules.activeFile = "off";
  rules.selection = "off";
  bridge.hear(prompt("one"));
  await settled();
  const { context } = asked.at(-1)?.params as { context: unknown };
  assert.deepEqual(context, { ...CONTEXT, activeFile: false, selection: false });
});

test("after a crash of the server the session is opened and followed again", async () => {
  const { bridge, asked } = setUp();
  bridge.hear(prompt("one"));
  await settled();
  asked.length = 0;
  bridge.connection({ kind: "starting" });
  bridge.connection({ kind: "ready" });
  await settled();
  assert.deepEqual(asked.map(({ method }) => method), [
    "pollux/modelList",
    "pollux/sessionResume",
    "pollux/sessionUnfollow",
    "pollux/sessionUnfollow",
    "pollux/sessionFollow",
  ]);
});

test("rewinding hands the prompt back to be edited, with what was attached to it", async () => {
  const { bridge, posted } = setUp({ "pollux/promptAttachments": { attachments: [NOTE] } });
  bridge.hear(prompt("one"));
  await settled();
  bridge.hear({ kind: "rewind", turn: 1 });
  await settled();
  assert.deepEqual(posted.slice(-2), [
    { kind: "setPrompt", text: "again" },
    { kind: "attachment", attachment: NOTE },
  ]);
});

test("deleting the session that is shown leaves an empty chat", async () => {
  const { bridge, posted } = setUp();
  bridge.hear(prompt("one"));
  await settled();
  bridge.hear({ kind: "deleteSession", session: "new" });
  await settled();
  assert.equal(bridge.session, undefined);
  assert.deepEqual(posted.slice(-2).map(({ kind }) => kind), ["deleted", "sessions"]);
});

test("a session that is left while it works is followed until its turn ends", async () => {
  const { bridge, asked } = setUp();
  bridge.hear(prompt("go"));
  await settled();
  const events = (session: string, kind: "turnStarted" | "turnEnded"): void => {
    const event =
      kind === "turnStarted"
        ? { kind, turn: 1, prompt: "go", model: "demo" }
        : { kind, turn: 1, outcome: "completed" as const, message: "" };
    bridge.events({ session, cursor: 1, past: false, events: [event] });
  };
  const unfollowed = (): number => asked.filter(({ method }) => method === "pollux/sessionUnfollow").length;
  events("new", "turnStarted");
  const before = unfollowed();
  bridge.newSession();
  await settled();
  assert.equal(unfollowed(), before);
  events("new", "turnEnded");
  await settled();
  assert.equal(unfollowed(), before + 1);
  assert.deepEqual(asked.at(-1)?.params, { session: "new" });
});

test("a session that is no longer looked at is left, by whichever way", async () => {
  const { bridge, left } = setUp();
  bridge.hear(prompt("one"));
  await settled();
  assert.deepEqual(left, []);
  await bridge.resume("old");
  assert.deepEqual(left, ["new"]);
  bridge.newSession();
  assert.deepEqual(left, ["new", "old"]);
});

test("hunks of a proposal that were decided in the file are told to the view, and the others decided there", async () => {
  const { bridge, posted, shown, decided } = setUp();
  bridge.hear(prompt("one"));
  await settled();
  shown.push(shownHunk(0, 3, "a\n", "b\n"), shownHunk(1, 8, "c\n", "d\n"));
  bridge.events({ session: "new", cursor: 1, past: false, events: [proposal(3, ["a\n", "b\n", 3], ["c\n", "d\n", 8])] });
  shown.shift();
  bridge.reviewMoved();
  bridge.reviewMoved();
  const told = posted.filter(({ kind }) => kind === "openHunks");
  assert.deepEqual(told, [
    { kind: "openHunks", proposal: 3, open: [0, 1] },
    { kind: "openHunks", proposal: 3, open: [1] },
  ]);
  bridge.hear({ kind: "decideHunks", proposal: 3, hunks: [0, 1], decision: "reject" });
  await settled();
  assert.deepEqual(decided, [[1, "reject"]], "what is decided already is left alone");
});

test("a proposal that a person has changed is answered with their text, unless some of it is decided", async () => {
  const { bridge, asked, shown, drafts } = setUp();
  bridge.hear(prompt("one"));
  await settled();
  shown.push(shownHunk(0, 3, "a\n", "b\n"), shownHunk(1, 8, "c\n", "d\n"));
  bridge.events({ session: "new", cursor: 1, past: false, events: [proposal(3, ["a\n", "b\n", 3], ["c\n", "d\n", 8])] });
  bridge.hear({ kind: "editProposal", proposal: 3 });
  await settled();
  const answer = { kind: "allowWith", content: "as the person wants it\n" };
  assert.deepEqual(asked.at(-1), { method: "pollux/approvalAnswer", params: { session: "new", approval: 3, answer } });
  shown.shift();
  bridge.hear({ kind: "editProposal", proposal: 3 });
  await settled();
  assert.deepEqual(drafts, [{ name: "new/3", hunks: 2 }, { name: "new/3", hunks: 0 }]);
});
