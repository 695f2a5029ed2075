// The events of a session as the chat reads them. Everything beyond the generated types is optional, so that the
// view also works with a server that does not send it yet.
import type { SessionEvent, SessionMode } from "../protocol";

type Event<K extends SessionEvent["kind"]> = Extract<SessionEvent, { kind: K }>;

/** What a tool call is about; decides the icon. */
export type Activity = "read" | "search" | "edit" | "command" | "fetch" | "think" | "other";

export interface SentItem {
  kind: "activeFile" | "selection" | "openFiles" | "diagnostics" | "file" | "folder" | "attachment" | "memory";
  label: string;
  uri?: string | null;
  bytes?: number;
}

export interface AttachmentLabel {
  kind: string;
  label: string;
}

interface Attached {
  attachments?: AttachmentLabel[] | null;
}

type Grown =
  | (Event<"promptQueued"> & Attached)
  | (Event<"turnStarted"> & Attached)
  | (Event<"toolStarted"> & {
      tool?: string | null;
      activity?: Activity | null;
      input?: string | null;
      parent?: string | null;
    })
  | (Event<"toolEnded"> & {
      output?: string | null;
      outputLines?: number | null;
      durationMs?: number | null;
    })
  | (Event<"answerEnded"> & { contextWindow?: number | null });

type Added =
  | {
      kind: "opened";
      mode: SessionMode;
      model: string;
      title?: string | null;
      contextWindow?: number | null;
    }
  | { kind: "titled"; title: string }
  | { kind: "contextSent"; turn: number; items: SentItem[] }
  | { kind: "hunksDecided"; turn: number; path: string; kept: number; rejected: number; pending: number }
  | { kind: "commandAnswered"; command: string; text: string };

export type ChatEvent = Exclude<SessionEvent, { kind: Grown["kind"] | Added["kind"] }> | Grown | Added;

/** One kind of event. */
export type EventOf<K extends ChatEvent["kind"]> = Extract<ChatEvent, { kind: K }>;
