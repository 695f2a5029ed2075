// How much processor time processes have used, by what they are. Linux only: elsewhere it is not said in a file.
import { readdirSync, readFileSync } from "node:fs";

export const PARTS = ["extension host", "door", "host of pollux", "rest of VS Code's server", "browser"] as const;
export type Part = (typeof PARTS)[number];

interface Process {
  pid: number;
  parent: number;
  /** Of processor time, of all the threads it has. */
  milliseconds: number;
  words: string[];
}

/** Milliseconds since each part began: all that the server of VS Code has started, and all that was started for this place. */
export function used(roots: { server: number; place: string }): Record<Part, number> {
  const all = processes();
  const sums: Record<Part, number> = Object.fromEntries(PARTS.map((part) => [part, 0])) as Record<Part, number>;
  const own = below(all, roots.server);
  for (const process of own) sums[partOf(process)] += process.milliseconds;
  for (const process of all) {
    if (own.includes(process)) continue;
    if (isMarked(process.pid, `POLLUX_BROWSER_OF=${roots.place}\0`)) sums.browser += process.milliseconds;
    // The host belongs to nobody: it outlives the door that started it.
    else if (isMarked(process.pid, `POLLUX_RUNTIME_DIR=${roots.place}/`)) sums["host of pollux"] += process.milliseconds;
  }
  return sums;
}

/** The process in which the extensions of a window run. */
export function extensionHost(server: number): number {
  const found = below(processes(), server).find((process) => partOf(process) === "extension host");
  if (found === undefined) throw new Error("there is no extension host");
  return found.pid;
}

/** What was used from one look to the next. */
export function between(before: Record<Part, number>, after: Record<Part, number>): Record<Part, number> {
  return Object.fromEntries(PARTS.map((part) => [part, after[part] - before[part]])) as Record<Part, number>;
}

function partOf({ words }: Process): Part {
  if (words.includes("--type=extensionHost")) return "extension host";
  if (words[1] === "lsp") return "door";
  return words[1] === "host" ? "host of pollux" : "rest of VS Code's server";
}

function below(all: readonly Process[], root: number): Process[] {
  const found = all.filter(({ pid }) => pid === root);
  for (const { pid } of found) found.push(...all.filter(({ parent }) => parent === pid));
  return found;
}

function processes(): Process[] {
  const names = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return names.flatMap((name) => {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      // The name may hold anything, so the fields are counted from its end.
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      const words = readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0");
      return [{ pid: Number(name), parent: Number(fields[1]), milliseconds: milliseconds(name), words }];
    } catch {
      // It ended in this moment.
      return [];
    }
  });
}

/** In nanoseconds where the kernel counts them: `stat` counts ticks of ten milliseconds, which is most of what an idle process uses. */
function milliseconds(pid: string): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const nanoseconds = threads.map((thread) => Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]));
  return nanoseconds.reduce((sum, of) => sum + of, 0) / 1e6;
}

function isMarked(pid: number, mark: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8").includes(mark);
  } catch {
    return false;
  }
}
