// What the chat view and the extension host say to each other. Types only: both sides read this file.
import type { ApprovalAnswer, HunkDecision, PromptName, SessionEvent, SessionMode, SessionState } from "../protocol";

export type ChatEvent = SessionEvent;

/** One kind of event. */
export type EventOf<K extends ChatEvent["kind"]> = Extract<ChatEvent, { kind: K }>;

export type Attachment =
  | { kind: "image"; mimeType: string; data: string; name: string }
  | { kind: "text"; label: string; text: string; uri?: string };

/** What of the editor goes with a prompt. */
export interface ContextChoice {
  activeFile: boolean;
  selection: boolean;
  openFiles: boolean;
  diagnostics: boolean;
}

/** By the settings: goes with every prompt unless it is switched off, only where it is switched on, or never. */
export type ContextRule = "auto" | "ask" | "off";

export interface ContextRules {
  activeFile: ContextRule;
  selection: ContextRule;
}

/** Parts of the context that a person has switched to other than what the settings say. */
export type Switched = Partial<ContextChoice>;

/** What the editor shows now, in words for chips. Missing: there is none. */
export interface EditorContext {
  activeFile?: string;
  selection?: string;
  /** How many files are open besides. */
  openFiles?: number;
  problems?: number;
  rules: ContextRules;
  /** Three prompts that fit the open file. */
  examples: string[];
}

export interface SessionEntry {
  session: string;
  title: string;
  updated: number;
  state: SessionState;
  messages?: number;
}

export interface ModelEntry {
  id: string;
  label: string;
  description?: string;
  contextWindow?: number;
}

export interface Completion {
  kind: "command" | "file" | "folder" | "symbol";
  label: string;
  detail: string;
  /** What is put in place of the word that was typed. */
  insert: string;
}

/** Of the machine that the person sits at, which need not be the one that the files are on. */
export type Keyboard = "mac" | "other";

/** Places outside the view that a button leads to. */
export type Place = "settings" | "walkthrough" | "signIn" | "log" | "restart";

export type FromView =
  | { kind: "ready" }
  | { kind: "keyboard"; keyboard: Keyboard }
  | { kind: "prompt"; how: "queue" | "steer"; text: string; attachments: Attachment[]; context: ContextChoice }
  /** The prompt of a turn once more, with what was attached to it, of which the view knows only the labels. */
  | { kind: "retry"; turn: number; text: string; context: ContextChoice }
  /** A prompt was taken back to be edited. */
  | { kind: "attachAgain"; prompt: PromptName }
  /** What waits in the composer: kept, because a view that is hidden forgets. */
  | { kind: "attached"; attachments: Attachment[] }
  | { kind: "switched"; switched: Switched }
  | { kind: "unqueue"; id: number }
  | { kind: "editQueued"; id: number; text: string }
  | { kind: "moveQueued"; id: number; place: number }
  | { kind: "releaseQueue" }
  | { kind: "stop" }
  /** What waits to be retried is sent now. */
  | { kind: "retryNow" }
  /** One call only: the turn goes on. */
  | { kind: "stopCall"; call: string }
  | { kind: "answer"; approval: number; answer: ApprovalAnswer }
  /** Some of the hunks of a proposed edit, by their places in it. */
  | { kind: "decideHunks"; proposal: number; hunks: number[]; decision: HunkDecision }
  /** Whoever wants a proposed edit otherwise changes it before it is kept. */
  | { kind: "editProposal"; proposal: number }
  | { kind: "mode"; mode: SessionMode }
  | { kind: "model"; model: string }
  | { kind: "newSession" }
  | { kind: "listSessions" }
  | { kind: "openSession"; session: string }
  | { kind: "renameSession"; session: string; title: string }
  | { kind: "deleteSession"; session: string }
  | { kind: "complete"; id: number; trigger: "/" | "@"; query: string }
  | { kind: "mention"; uri: string }
  | { kind: "attach"; what: "file" | "terminal" | "gitDiff" }
  | { kind: "openFile"; path: string; line: number | null }
  | { kind: "openHunk"; path: string }
  | { kind: "openText"; title: string; language: string; text: string }
  | { kind: "openOutput"; call: string; title: string }
  | { kind: "openLink"; href: string }
  | { kind: "showSent"; turn: number }
  | { kind: "reviewTurn"; turn: number }
  | { kind: "decideTurn"; turn: number; decision: HunkDecision }
  /** What a turn changed in one file. */
  | { kind: "decideFile"; turn: number; path: string; decision: HunkDecision }
  | { kind: "undoTurn"; turn: number }
  | { kind: "rewind"; turn: number }
  | { kind: "copy"; text: string }
  | { kind: "insert"; text: string }
  | { kind: "go"; place: Place };

export type ToView =
  | { kind: "start"; strings: Record<string, string>; folders: string[]; window: string }
  /** Everything begins anew: the events that follow belong to this session, from its first. */
  | { kind: "session"; session: string | null }
  /** The one that was shown is no more; whoever deleted it is still looking at the list. */
  | { kind: "deleted" }
  | { kind: "events"; session: string; events: ChatEvent[]; replay: boolean }
  | { kind: "editor"; context: EditorContext }
  | { kind: "sessions"; sessions: SessionEntry[] }
  | { kind: "models"; models: ModelEntry[]; current: string }
  | { kind: "completions"; id: number; items: Completion[] }
  | { kind: "attachment"; attachment: Attachment }
  /** What waited in the composer when the view was last there. */
  | { kind: "composing"; attachments: Attachment[]; switched: Switched }
  /** The hunks of a proposed edit that nobody has decided about yet. */
  | { kind: "openHunks"; proposal: number; open: number[] }
  /** Something that was asked for did not work. */
  | { kind: "failed"; message: string; prompt: { text: string; attachments: Attachment[] } | null }
  | { kind: "connection"; state: "starting" | "ready" | "missing" | "stopped"; message: string }
  | { kind: "setPrompt"; text: string }
  /** Put where the cursor is. */
  | { kind: "insertText"; text: string }
  | { kind: "focus"; what: "composer" | "approval" }
  | { kind: "showSessions" };
