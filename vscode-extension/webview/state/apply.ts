// Folds the events of a session into what is shown. Every kind of event has its line here; kinds that a newer
// server may send are left alone.
import type { ChatEvent } from "../../src/chat/messages";
import { contested, decided, edited, hunksDecided } from "./edits";
import type { AnswerRow, Doing, ErrorRow, NoteKind, NoteRow, PromptRow, Session, SourcesRow, ThoughtRow } from "./model";
import { agentName } from "../words/agents";
import { isFailure } from "../words/ends";
import { finishWriting, write } from "./prose";
import { answered, ask, dropAll, editAnswered } from "./questions";
import { add, lastShown, touch } from "./rows";
import { ended, printed, progressed, started } from "./tools";

export function applyAll(session: Session, events: readonly ChatEvent[]): void {
  for (const event of events) apply(session, event);
}

/** Events that come in the middle of a sentence without ending it. */
const BESIDE_THE_TEXT = new Set<ChatEvent["kind"]>([
  "text",
  "promptQueued",
  "promptUnqueued",
  "promptEdited",
  "queueOrdered",
  "utilityUsed",
  "cost",
  "hunksDecided",
  "titled",
  "contextSent",
  "todos",
  "toolPrinted",
  "toolProgress",
  "opened",
]);

export function apply(session: Session, event: ChatEvent): void {
  if (!BESIDE_THE_TEXT.has(event.kind)) finishWriting(session);
  if (event.kind !== "text" && event.kind !== "toolPrinted") session.version += 1;
  switch (event.kind) {
    case "opened":
      session.mode = event.mode;
      session.model = event.model;
      session.title = event.title ?? session.title;
      session.contextWindow = event.contextWindow ?? session.contextWindow;
      return;
    case "titled":
      session.title = event.title;
      return;
    case "promptQueued":
      session.queue.push({ id: event.id, text: event.text, attachments: event.attachments ?? [] });
      return;
    case "promptUnqueued":
      session.queue = session.queue.filter((prompt) => prompt.id !== event.id);
      return;
    case "promptEdited":
      session.queue = session.queue.map((prompt) => (prompt.id === event.id ? { ...prompt, text: event.text } : prompt));
      return;
    case "queueOrdered":
      session.queue = [...session.queue].sort((one, other) => event.order.indexOf(one.id) - event.order.indexOf(other.id));
      return;
    case "turnStarted":
      return turnStarted(session, event);
    case "contextSent": {
      const prompt = session.index.prompts.get(event.turn);
      if (!prompt) return;
      prompt.sent = event.items;
      return touch(prompt);
    }
    case "promptSteered":
      add<PromptRow>(session, { kind: "prompt", text: event.text, how: "steered", attachments: [], sent: undefined });
      return;
    case "text":
      doing(session, "writing", "");
      return write(session, event.text);
    case "thought":
      return thought(session, event.subject, event.description);
    case "citation":
      return cited(session, event.title ?? "", event.uri);
    case "requestRetried":
      doing(session, "retrying", event.reason);
      session.retry = { reason: event.reason, attempt: event.attempt, attempts: event.attempts, at: event.retryAtMs ?? undefined };
      return retried(session, [event.attempt, event.attempts, event.delayMs, event.reason]);
    case "retryStarted":
      session.retry = undefined;
      return doing(session, "thinking", "");
    case "modelChanged":
      session.retry = undefined;
      session.model = event.to;
      return note(session, "modelChanged", [event.from, event.to, event.reason]);
    case "modelChosen":
      // Choosing what is used anyway is no news.
      if (session.model !== undefined && session.model !== event.model) note(session, "modelChosen", [event.model, event.reason]);
      session.model = event.model;
      return;
    case "historyCompressed":
      if (event.status !== "NOOP") note(session, "compressed", [event.before, event.after, event.status]);
      return;
    case "rewound":
      return rewound(session, event.turn);
    case "utilityUsed":
      session.spent += event.usage.total;
      return;
    case "answerDiscarded":
      return note(session, "discarded", [event.reason]);
    case "answerEnded":
      session.usage = event.usage;
      session.spent += event.usage.total;
      session.contextWindow = event.contextWindow ?? session.contextWindow;
      return;
    case "cost":
      session.cost = { turn: event.turn, session: event.session, currency: event.currency };
      return;
    case "toolStarted":
      started(session, event);
      return doing(session, "tool", whatRuns(session, event.call));
    case "toolPrinted":
      return printed(session, event);
    case "toolProgress":
      return progressed(session, event);
    case "toolEnded": {
      const within = session.index.calls.get(event.call)?.within;
      if (within) doing(session, "tool", firstLine(within.title));
      else doing(session, "thinking", "");
      return ended(session, event);
    }
    case "editProposed":
      edited(session, event, "proposed");
      ask(session, { kind: "edit", number: event.proposal, edit: event });
      return;
    case "editMade":
      return edited(session, event, "made");
    case "editDecided":
      decided(session, event.proposal, event.decisions);
      return editAnswered(session, event.proposal, event.decisions, event.by ?? undefined);
    case "editContested":
      return contested(session, event);
    case "hunksDecided":
      return hunksDecided(session, event);
    case "approvalRequested":
      return ask(session, { kind: "approval", number: event.approval, request: event });
    case "approvalEnded":
      return answered(session, event.approval, event.answer ?? undefined, event.by ?? undefined);
    case "approvalNotRemembered":
      return note(session, "notRemembered", [event.reason]);
    case "deleted":
      return note(session, "deleted", []);
    case "hookSaid":
      return note(session, "hook", [event.message]);
    case "modeChanged":
      if (session.mode !== event.mode) note(session, "mode", [event.mode]);
      session.mode = event.mode;
      return;
    case "todos":
      session.todos = event.todos;
      return;
    case "topic":
      if (event.title) {
        session.title = event.title;
        note(session, "topic", [event.title, event.intent]);
      }
      return;
    case "commandAnswered":
      add<AnswerRow>(session, { kind: "commandAnswer", command: event.command, text: event.text });
      return;
    case "refused":
      return note(session, "refused", [event.reason]);
    case "turnEnded":
      return turnEnded(session, event);
    default:
      return ignore(event);
  }
}

/** Fails to compile when a kind of event has no case above. */
function ignore(_event: never): void {
  return;
}

type Started = Extract<ChatEvent, { kind: "turnStarted" }>;
type Ended = Extract<ChatEvent, { kind: "turnEnded" }>;

function turnStarted(session: Session, event: Started): void {
  // Something else may stand below it, such as another mode.
  const before = session.rows.findLast((row) => row.kind === "error");
  if (before?.over === false) {
    before.over = true;
    touch(before);
  }
  session.running = event.turn;
  session.retry = undefined;
  session.model = event.model;
  session.title ??= firstLine(event.prompt);
  const row = add<PromptRow>(
    session,
    { kind: "prompt", text: event.prompt, how: "asked", attachments: event.attachments ?? [], sent: undefined },
    { turn: event.turn },
  );
  session.index.prompts.set(event.turn, row);
  session.lastPrompt = row;
  doing(session, "thinking", "");
}

function turnEnded(session: Session, event: Ended): void {
  dropAll(session);
  for (const row of session.index.calls.values()) {
    if (row.state !== "running") continue;
    row.state = "cancelled";
    touch(row);
  }
  // Nothing of this turn changes any more, except by what is decided about its hunks.
  session.index.calls.clear();
  session.index.proposals.clear();
  session.index.asked.clear();
  if (isFailure(event.outcome)) {
    add<ErrorRow>(session, { kind: "error", outcome: event.outcome, message: event.message, over: false }, { turn: event.turn });
  } else if (event.outcome !== "completed") {
    note(session, "stopped", [event.outcome, event.outcome === "cancelled" ? "" : event.message]);
  }
  session.running = undefined;
  session.retry = undefined;
  session.doing = undefined;
}

function thought(session: Session, subject: string, description: string): void {
  const words = subject === "" ? firstLine(description) : subject;
  doing(session, "thinking", words);
  const text = subject === "" ? description : `**${subject}**\n\n${description}`;
  const last = lastShown(session);
  if (last?.kind !== "thought" || last.turn !== session.running) {
    add<ThoughtRow>(session, { kind: "thought", subject: words, text });
    return;
  }
  last.subject = words;
  last.text += `\n\n${text}`;
  touch(last);
}

function cited(session: Session, title: string, uri: string): void {
  const last = lastShown(session);
  if (last?.kind !== "sources") {
    add<SourcesRow>(session, { kind: "sources", sources: [{ title, uri }] });
    return;
  }
  last.sources.push({ title, uri });
  touch(last);
}

/** Tries of one request share a line. */
function retried(session: Session, values: (string | number)[]): void {
  const last = lastShown(session);
  if (last?.kind !== "note" || last.note !== "retried") return note(session, "retried", values);
  last.values = values;
  touch(last);
}

function note(session: Session, kind: NoteKind, values: (string | number)[]): void {
  add<NoteRow>(session, { kind: "note", note: kind, values });
}

/** Everything from that prompt on was taken back, in the conversation and in the files. */
function rewound(session: Session, turn: number): void {
  const from = session.rows.findIndex((row) => row.turn >= turn);
  if (from !== -1) session.rows.length = from;
  session.questions = [];
  session.todos = [];
  for (const key of session.index.prompts.keys()) if (key >= turn) session.index.prompts.delete(key);
  for (const [key, { row }] of session.index.files) if (row.turn >= turn) session.index.files.delete(key);
  const before = session.rows.findLast((row) => row.kind === "prompt" && row.how === "asked");
  session.lastPrompt = before?.kind === "prompt" ? before : undefined;
  note(session, "rewound", [turn]);
}

function doing(session: Session, what: Doing["what"], words: string): void {
  if (session.running === undefined) return;
  const now = session.doing;
  if (now?.what === what && now.words === words) return;
  session.doing = { what, words, serial: (now?.serial ?? 0) + 1 };
  session.version += 1;
}

/** What a sub-agent does is said with its name. */
function whatRuns(session: Session, call: string): string {
  const row = session.index.calls.get(call);
  const title = firstLine(row?.title ?? "");
  return row?.within ? `${agentName(row.within.title)}: ${title}` : title;
}

function firstLine(text: string): string {
  const end = text.indexOf("\n");
  return end === -1 ? text : text.slice(0, end);
}
