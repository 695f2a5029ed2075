// Random sessions from a seed, so that a failure can be run again.
import type { ChatEvent } from "../../../src/chat/messages";

export type Random = () => number;

export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

export function pick<T>(random: Random, list: readonly T[]): T {
  return list[Math.floor(random() * list.length)]!;
}

const PIECES = [
  "a word ", "and ", "**bold** ", "\n", "\n\n", "```", "```rust\n", "\n```\n", "- item\n", "1. one\n", "   ```\n", "    code\n", "~~~\n",
  "`", "> quote\n", "| a | b |\n|---|---|\n", "\r\n", "# Title\n", "<script>", "x".repeat(50), "é漢", "",
];
const USAGE = { prompt: 10, cached: 0, answer: 2, thoughts: 1, tools: 0, total: 13 };
const hunk = (line: number) => ({ baseLine: line, line, removed: "old\n", added: "new\nlines\n" });

export function randomText(random: Random, pieces: number): string {
  return Array.from({ length: pieces }, () => pick(random, PIECES)).join("");
}

export function randomEvents(random: Random, count: number): ChatEvent[] {
  const events: ChatEvent[] = [{ kind: "opened", mode: "default", model: "demo" }];
  let turn = 0;
  const call = () => `call-${Math.floor(random() * 4)}`;
  const number = () => Math.floor(random() * 4);
  const edit = () => ({ proposal: number(), call: call(), path: pick(random, ["a.rs", "b.rs"]), hunks: [hunk(3), hunk(9)], allEdits: [] });
  const makers: (() => ChatEvent)[] = [
    () => ({ kind: "turnStarted", turn: (turn += 1), prompt: "do it", model: "demo" }),
    () => ({ kind: "turnEnded", turn, outcome: pick(random, ["completed", "failed", "cancelled", "limited", "declined", "interrupted"]), message: "so" }),
    ...Array.from({ length: 12 }, () => (): ChatEvent => ({ kind: "text", text: randomText(random, 3) })),
    () => ({ kind: "thought", subject: pick(random, ["", "Look"]), description: "closely" }),
    () => ({ kind: "toolStarted", call: call(), title: "Read a.rs", tool: "read_file", activity: "read", input: "{}", parent: pick(random, [null, "call-0"]) }),
    () => ({ kind: "toolPrinted", call: call(), text: "out\n" }),
    () => ({ kind: "toolProgress", call: call(), done: 1, total: 3 }),
    () => ({ kind: "toolEnded", call: call(), status: pick(random, ["succeeded", "failed", "cancelled"]), message: "", output: "", outputLines: 0, durationMs: 3 }),
    () => ({ kind: "editMade", ...edit() }),
    () => ({ kind: "editProposed", ...edit() }),
    () => ({ kind: "editDecided", proposal: number(), decisions: ["keep", "reject"] }),
    () => ({ kind: "hunksDecided", turn, path: "a.rs", kept: 1, rejected: 0, pending: 2, conflicts: 1 }),
    () => ({ kind: "editContested", proposal: number(), conflicts: 1 }),
    () => ({ kind: "approvalRequested", approval: number(), call: call(), tool: "t", title: "T", reason: "r", subject: { kind: "other", arguments: "{}" }, offers: [] }),
    () => ({ kind: "approvalEnded", approval: number(), answer: pick(random, [null, { kind: "allow" }]) }),
    () => ({ kind: "promptQueued", id: number(), text: "later" }),
    () => ({ kind: "promptUnqueued", id: number() }),
    () => ({ kind: "promptEdited", id: number(), text: "sooner" }),
    () => ({ kind: "queueOrdered", order: [2, 0, 3, 1] }),
    () => ({ kind: "promptSteered", text: "rather" }),
    () => ({ kind: "requestRetried", attempt: 1, attempts: 3, delayMs: 500, retryAtMs: 1_000, reason: "busy" }),
    () => ({ kind: "retryStarted" }),
    () => ({ kind: "modelChanged", from: "a", to: "b", reason: "quota", avoidedUntil: { until: "nextTurn" } }),
    () => ({ kind: "modelChosen", model: pick(random, ["a", "b"]), reason: "router" }),
    () => ({ kind: "historyCompressed", before: 9, after: 3, status: "COMPRESSED" }),
    () => ({ kind: "citation", title: null, uri: "https://example.com" }),
    () => ({ kind: "todos", todos: [{ description: "one", status: "pending" }] }),
    () => ({ kind: "answerEnded", reason: "stop", usage: USAGE }),
    () => ({ kind: "utilityUsed", task: "t", model: "m", usage: USAGE }),
    () => ({ kind: "modeChanged", mode: pick(random, ["plan", "autoEdit"]) }),
    () => ({ kind: "topic", title: "Topic", intent: "next" }),
    () => ({ kind: "titled", title: "Title" }),
    () => ({ kind: "refused", reason: "no" }),
    () => ({ kind: "hookSaid", message: "hook" }),
    () => ({ kind: "answerDiscarded", reason: "bad" }),
    () => ({ kind: "approvalNotRemembered", reason: "odd" }),
    () => ({ kind: "commandAnswered", command: "help", text: "# Help" }),
    () => ({ kind: "contextSent", turn, items: [{ kind: "activeFile", label: "a.rs", bytes: 10 }] }),
    () => ({ kind: "rewound", turn: Math.max(1, turn - 1) }),
  ];
  while (events.length < count) events.push(pick(random, makers)());
  return events;
}
