// What the one item in the status bar says. Pure, so that every state can be looked at in a test.
import type { ServerState } from "../server/server";
import type { SessionStatus } from "./sessionState";

export interface Situation {
  server: ServerState["kind"];
  session: SessionStatus | undefined;
  questions: number;
  toReview: number;
}

export type Headline =
  | { kind: "missing" }
  | { kind: "stopped" }
  | { kind: "starting" }
  | { kind: "asks"; count: number }
  | { kind: "works"; toReview: number }
  | { kind: "toReview"; count: number }
  | { kind: "idle" };

/** The most urgent thing wins: what is broken, what waits for an answer, what runs, what is left to do. */
export function headline({ server, session, questions, toReview }: Situation): Headline {
  if (server !== "ready") return { kind: server };
  if (questions > 0) return { kind: "asks", count: questions };
  if (session?.turn !== undefined) return { kind: "works", toReview };
  if (toReview > 0) return { kind: "toReview", count: toReview };
  return { kind: "idle" };
}

/** `950`, `12k`, `1.2M`. */
export function shortNumber(count: number): string {
  if (count < 1000) return String(count);
  if (count < 999_500) return `${Math.round(count / 1000)}k`;
  return `${(count / 1_000_000).toFixed(1).replace(/\.0$/, "")}M`;
}
