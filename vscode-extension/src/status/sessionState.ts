// What is true of a session now, folded from its events. Small, whatever the length of the talk.
import type { SessionEvent, SessionMode } from "../protocol";

export interface SessionStatus {
  session: string;
  title: string | undefined;
  model: string | undefined;
  mode: SessionMode | undefined;
  /** The turn that runs. */
  turn: number | undefined;
  /** The last one there was. */
  lastTurn: number | undefined;
  /** Tokens that the model was shown last. */
  tokens: number | undefined;
  /** Of all its turns, where the settings have prices. */
  cost: { amount: number; currency: string } | undefined;
  /** Numbers of the questions that wait for an answer. */
  questions: readonly number[];
}

export function newStatus(session: string): SessionStatus {
  return {
    session,
    title: undefined,
    model: undefined,
    mode: undefined,
    turn: undefined,
    lastTurn: undefined,
    tokens: undefined,
    cost: undefined,
    questions: [],
  };
}

export function fold(status: SessionStatus, event: SessionEvent): SessionStatus {
  switch (event.kind) {
    case "opened":
      // Everything is said again from here: what was counted before would count twice.
      return { ...newStatus(status.session), mode: event.mode, model: event.model, title: event.title ?? undefined };
    case "turnStarted":
      return {
        ...status,
        turn: event.turn,
        lastTurn: event.turn,
        model: event.model,
        title: status.title ?? event.prompt.split("\n")[0],
      };
    case "turnEnded":
      return { ...status, turn: undefined, questions: [] };
    case "modelChanged":
      return { ...status, model: event.to };
    case "modelChosen":
      return { ...status, model: event.model };
    case "modeChanged":
      return { ...status, mode: event.mode };
    case "answerEnded":
      return { ...status, tokens: event.usage.total };
    case "cost":
      return { ...status, cost: { amount: event.session, currency: event.currency } };
    case "topic":
      return typeof event.title === "string" ? { ...status, title: event.title } : status;
    case "rewound":
      return { ...status, turn: undefined, lastTurn: event.turn > 1 ? event.turn - 1 : undefined };
    case "approvalRequested":
      return { ...status, questions: [...status.questions, event.approval] };
    case "editProposed":
      return { ...status, questions: [...status.questions, event.proposal] };
    case "approvalEnded":
      return without(status, event.approval);
    case "editDecided":
      return without(status, event.proposal);
    default:
      return status;
  }
}

function without(status: SessionStatus, question: number): SessionStatus {
  return { ...status, questions: status.questions.filter((number) => number !== question) };
}
