// What the recorder writes: a line for each thing that happened between the editor and the server, in order.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Message } from "vscode-languageserver-protocol/node";
import { required } from "../e2e/processes";

export type Line =
  | { kind: "started"; program: string; pid: number }
  | { kind: "client"; message: Message }
  | { kind: "server"; message: Message }
  | { kind: "ended" };

export interface Said {
  method: string;
  params: unknown;
}

/** Everything since the extension was loaded. A line that is only half written is left for the next look. */
export function recorded(): Line[] {
  const file = join(required("POLLUX_PLACE"), "record.jsonl");
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Line);
}

/** What the client said by this name, oldest first, from a line on. */
export function clientSaid(method: string, from = 0): unknown[] {
  return recorded()
    .slice(from)
    .flatMap((line) => (line.kind === "client" ? [line.message as Partial<Said> & Message] : []))
    .filter((message) => message.method === method)
    .map(({ params }) => params);
}

/** The processes that were started, oldest first. */
export function starts(): Extract<Line, { kind: "started" }>[] {
  return recorded().flatMap((line) => (line.kind === "started" ? [line] : []));
}
