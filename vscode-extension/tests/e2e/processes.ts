// Programs that a test starts, and waiting for what they say.
import { spawn, type ChildProcessWithoutNullStreams, type SpawnOptionsWithoutStdio } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { createInterface } from "node:readline";

/** First paint takes seconds on busy cores, and a test must not depend on how busy they are. */
export const PATIENCE_MS = 60_000;

/** Where things are that were built or installed before the tests; `cargo xtask test` says so. */
export function required(variable: string): string {
  const value = process.env[variable];
  if (value === undefined || value === "") throw new Error(`${variable} is not set: run \`cargo xtask test\``);
  return value;
}

/** In a group of its own, so that what it starts can be ended with it. */
export function start(program: string, args: string[], options: SpawnOptionsWithoutStdio): ChildProcessWithoutNullStreams {
  return spawn(program, args, { ...options, stdio: "pipe", detached: true });
}

/** The first line that a program prints. */
export async function firstLine(child: ChildProcessWithoutNullStreams): Promise<string> {
  const lines = createInterface({ input: child.stdout });
  const [line] = (await once(lines, "line")) as [string];
  return line;
}

export async function end(child: ChildProcessWithoutNullStreams): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const ended = once(child, "exit");
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // It ended by itself in this moment.
  }
  await ended;
}

/** Processes of the server that use this place. */
export function processesOf(command: "host" | "lsp", place: string): number[] {
  const all = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return all.filter((name) => belongs(name, command, place)).map(Number);
}

function belongs(process: string, command: string, place: string): boolean {
  try {
    const words = readFileSync(`/proc/${process}/cmdline`, "utf8").split("\0");
    const environment = readFileSync(`/proc/${process}/environ`, "utf8");
    return words[1] === command && environment.includes(`POLLUX_RUNTIME_DIR=${place}/`);
  } catch {
    // It ended in this moment.
    return false;
  }
}

/** Processes in this folder that have this word on their command line, other than the shells around them. */
export function commandsIn(folder: string, word: string): number[] {
  const all = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return all.filter((name) => runs(name, folder, word)).map(Number);
}

function runs(process: string, folder: string, word: string): boolean {
  try {
    return readFileSync(`/proc/${process}/cmdline`, "utf8").split("\0").includes(word) && readlinkSync(`/proc/${process}/cwd`).startsWith(folder);
  } catch {
    // It ended in this moment, or belongs to somebody else.
    return false;
  }
}
