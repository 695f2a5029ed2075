// What the one item in the status bar says. Pure, so that every state can be looked at in a test.
import type { ServerState } from "../server/server";
import { money } from "../../webview/words/numbers";
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

/** `· 12k · $0.04`: what is known of how full and how dear a session is, with a blank before it. */
export function amounts(session: SessionStatus | undefined, language: string): string {
  const { tokens = 0, cost } = session ?? {};
  const parts = [];
  // A model that does not count its tokens has nothing to say about them.
  if (tokens > 0) parts.push(shortNumber(tokens));
  if (cost !== undefined) parts.push(money(cost.amount, cost.currency, language));
  return parts.map((part) => ` · ${part}`).join("");
}

/** `950`, `12k`, `1.2M`. */
export function shortNumber(count: number): string {
  if (count < 1000) return String(count);
  if (count < 999_500) return `${Math.round(count / 1000)}k`;
  return `${(count / 1_000_000).toFixed(1).replace(/\.0$/, "")}M`;
}
