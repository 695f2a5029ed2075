// The events of a session as the chat reads them.
import type { SessionEvent } from "../protocol";

/** What a slash command answered; sent by servers that know commands. */
interface CommandAnswered {
  kind: "commandAnswered";
  command: string;
  text: string;
}

export type ChatEvent = Exclude<SessionEvent, { kind: "commandAnswered" }> | CommandAnswered;

/** One kind of event. */
export type EventOf<K extends ChatEvent["kind"]> = Extract<ChatEvent, { kind: K }>;
