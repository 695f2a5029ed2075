// Reads what the view says. The view shows what strangers wrote, so nothing from it is taken on trust: a message
// of another shape is dropped.
import type { ApprovalAnswer, PromptName } from "../protocol";
import type { Attachment, FromView } from "./messages";

type Fields = Readonly<Record<string, unknown>>;
type Check = (value: unknown) => boolean;

const string: Check = (value) => typeof value === "string";
const number: Check = (value) => typeof value === "number" && Number.isFinite(value);
const boolean: Check = (value) => typeof value === "boolean";
const orNull = (check: Check): Check => (value) => value === null || check(value);
const oneOf = (...words: string[]): Check => (value) => typeof value === "string" && words.includes(value);
const listOf = (check: Check): Check => (value) => Array.isArray(value) && value.every(check);
const object = (fields: Record<string, Check>): Check => (value) =>
  isFields(value) && Object.entries(fields).every(([name, check]) => check(value[name]));

const decision = oneOf("keep", "reject");
const mode = oneOf("plan", "default", "autoEdit", "yolo");
const turn = { turn: number };
const session = { session: string };

const ANSWERS: { [K in ApprovalAnswer["kind"]]: Record<string, Check> } = {
  allow: {},
  always: { offer: number, scope: oneOf("session", "workspace", "user") },
  alwaysBy: { rule: string, scope: oneOf("session", "workspace", "user") },
  allowWith: { content: string },
  deny: { feedback: (value) => value === undefined || orNull(string)(value) },
  replies: { replies: (value) => isFields(value) && Object.values(value).every((reply) => string(reply) || listOf(string)(reply)) },
  carryOut: { mode },
};

const ATTACHMENTS: { [K in Attachment["kind"]]: Record<string, Check> } = {
  image: { mimeType: string, data: string, name: string },
  text: { label: string, text: string },
};

const NAMES: { [K in PromptName["kind"]]: Record<string, Check> } = {
  turn: { turn: number },
  queued: { id: number },
};

const choice: Check = object({ activeFile: boolean, selection: boolean, openFiles: boolean, diagnostics: boolean });
const optional = (check: Check): Check => (value) => value === undefined || check(value);

const MESSAGES: { [K in FromView["kind"]]: Record<string, Check> } = {
  ready: {},
  keyboard: { keyboard: oneOf("mac", "other") },
  prompt: {
    how: oneOf("queue", "steer"),
    text: string,
    attachments: listOf(tagged(ATTACHMENTS)),
    context: choice,
  },
  retry: { ...turn, text: string, context: choice },
  attachAgain: { prompt: tagged(NAMES) },
  attached: { attachments: listOf(tagged(ATTACHMENTS)) },
  switched: {
    switched: object({ activeFile: optional(boolean), selection: optional(boolean), openFiles: optional(boolean), diagnostics: optional(boolean) }),
  },
  unqueue: { id: number },
  editQueued: { id: number, text: string },
  moveQueued: { id: number, place: number },
  releaseQueue: {},
  stop: {},
  retryNow: {},
  stopCall: { call: string },
  answer: { approval: number, answer: tagged(ANSWERS) },
  decideHunks: { proposal: number, hunks: listOf(number), decision },
  editProposal: { proposal: number },
  mode: { mode },
  model: { model: string },
  newSession: {},
  listSessions: {},
  openSession: session,
  renameSession: { ...session, title: string },
  deleteSession: session,
  complete: { id: number, trigger: oneOf("/", "@"), query: string },
  mention: { uri: string },
  attach: { what: oneOf("file", "terminal", "gitDiff") },
  openFile: { path: string, line: orNull(number) },
  openHunk: { path: string },
  openText: { title: string, language: string, text: string },
  openOutput: { call: string, title: string },
  openLink: { href: string },
  showSent: turn,
  reviewTurn: turn,
  decideTurn: { ...turn, decision },
  decideFile: { ...turn, path: string, decision },
  undoTurn: turn,
  rewind: turn,
  copy: { text: string },
  insert: { text: string },
  go: { place: oneOf("settings", "walkthrough", "signIn", "log", "restart") },
};

export function parseFromView(message: unknown): FromView | undefined {
  return isFromView(message) ? message : undefined;
}

function isFromView(message: unknown): message is FromView {
  return tagged(MESSAGES)(message);
}

/** An object whose `kind` says which fields it has. */
function tagged(kinds: Readonly<Record<string, Record<string, Check>>>): Check {
  return (value) => {
    if (!isFields(value)) return false;
    const kind = value["kind"];
    return typeof kind === "string" && Object.hasOwn(kinds, kind) && object(kinds[kind] ?? {})(value);
  };
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
