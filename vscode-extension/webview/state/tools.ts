// Tool calls: one line each, with the end of what they print.
import type { EventOf } from "../../src/chat/messages";
import type { Session, ToolRow } from "./model";
import { add, touch } from "./rows";

/** Of what a call prints, this much is kept for its card; the server has the rest. */
const KEPT = 64 * 1024;

export function started(session: Session, event: EventOf<"toolStarted">): void {
  const parent = event.parent ? session.index.calls.get(event.parent) : undefined;
  const own = {
    kind: "tool" as const,
    call: event.call,
    title: event.title,
    tool: event.tool,
    activity: event.activity,
    input: event.input,
    state: "running" as const,
    message: "",
    output: "",
    outputLines: 0,
    progress: "",
    turns: undefined,
    inside: [],
    durationMs: undefined,
    replaced: false,
  };
  const row = add<ToolRow>(session, own, { within: parent });
  session.index.calls.set(event.call, row);
}

export function printed(session: Session, event: EventOf<"toolPrinted">): void {
  const row = session.index.calls.get(event.call);
  if (!row) return;
  row.output += event.text;
  // Cutting at twice the size makes the cost of a cut small per character.
  if (row.output.length > 2 * KEPT) row.output = row.output.slice(-KEPT);
  for (let at = event.text.indexOf("\n"); at !== -1; at = event.text.indexOf("\n", at + 1)) row.outputLines += 1;
  touch(row);
}

export function progressed(session: Session, event: EventOf<"toolProgress">): void {
  const row = session.index.calls.get(event.call);
  if (!row) return;
  if (row.activity === "agent") {
    row.progress = event.message ?? row.progress;
    row.turns = { used: event.done, most: event.total ?? undefined };
    return touch(row);
  }
  const share = event.total ? `${Math.floor((100 * event.done) / event.total)} %` : "";
  row.progress = [event.message ?? "", share].filter((part) => part !== "").join(" · ");
  touch(row);
}

export function ended(session: Session, event: EventOf<"toolEnded">): void {
  const row = session.index.calls.get(event.call);
  if (!row) return;
  row.state = event.status;
  row.message = event.message;
  row.progress = "";
  // Zero: it did not run, or in another life of the session.
  row.durationMs = event.durationMs === 0 ? undefined : event.durationMs;
  // What a sub-agent hands in counts, and not what it said on the way.
  if (row.output === "" || row.activity === "agent") {
    row.output = event.output.slice(0, 2 * KEPT);
    row.outputLines = event.outputLines;
  } else if (!row.output.endsWith("\n")) {
    row.outputLines += 1;
  }
  // A failed edit has nothing to show in an edit card: the call itself says what was wrong.
  if (row.replaced && event.status === "failed") row.replaced = false;
  touch(row);
}
