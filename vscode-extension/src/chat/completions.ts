// Suggestions while somebody types: commands after a slash, files, folders and symbols after an @.
import type { Server } from "../server/server";
import type { Desk } from "./desk";
import type { Completion } from "./messages";

const MOST = 50;
const MOST_SYMBOLS = 10;

export interface Asked {
  trigger: "/" | "@";
  query: string;
  /** The one that is shown. */
  session: string | undefined;
}

export async function completions(asked: Asked, server: Server, desk: Desk): Promise<Completion[]> {
  return asked.trigger === "/" ? commands(asked, server) : mentions(asked.query, server, desk);
}

async function commands({ query, session }: Asked, server: Server): Promise<Completion[]> {
  const { commands: all } = await server.request("pollux/commandList", session === undefined ? {} : { session });
  const wanted = query.toLowerCase();
  return all
    .filter(({ name }) => name.toLowerCase().includes(wanted))
    .sort((one, other) => rank(one.name, wanted) - rank(other.name, wanted) || one.name.localeCompare(other.name))
    .slice(0, MOST)
    .map(({ name, description, arguments: more }) => ({
      kind: "command",
      label: more ? `/${name} ${more}` : `/${name}`,
      detail: description,
      insert: `/${name}`,
    }));
}

function rank(name: string, wanted: string): number {
  return name.toLowerCase().startsWith(wanted) ? 0 : 1;
}

async function mentions(query: string, server: Server, desk: Desk): Promise<Completion[]> {
  const [files, symbols] = await Promise.all([
    server.request("pollux/mentionSearch", { query, limit: MOST }),
    query.length < 2 ? [] : desk.symbols(query),
  ]);
  const named = files.items.map(
    ({ kind, path }): Completion => ({ kind, label: base(path), detail: folder(path), insert: mentionOf(path) }),
  );
  return [...named, ...symbols.slice(0, MOST_SYMBOLS)];
}

/** A space would end the name. */
export function mentionOf(path: string): string {
  return `@${path.replaceAll(" ", "\\ ")}`;
}

function base(path: string): string {
  return path.slice(path.replace(/\/$/, "").lastIndexOf("/") + 1);
}

function folder(path: string): string {
  const end = path.replace(/\/$/, "").lastIndexOf("/");
  return end <= 0 ? "" : path.slice(0, end);
}
