// The scripted model: says what a test wrote down for it, and holds back behind a gate until told.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { end, firstLine, required, start } from "./processes";

export type Step =
  | { text: string }
  | { thought: string }
  | { call: { name: string; args: Record<string, unknown>; id?: string } }
  | { gate: string }
  | { repeat: { times: number; steps: Step[] } }
  | { finish: { reason: string; usage?: { prompt: number; output: number } } };

export interface Reply {
  steps: Step[];
  /** Only for requests in which this stands. */
  when?: { body: string };
}

const STOP: Step = { finish: { reason: "STOP" } };

export function says(text: string): Reply {
  return { steps: [{ text }, STOP] };
}

export function writes(path: string, content: string, ...before: Step[]): Reply {
  return { steps: [...before, { call: { name: "write_file", args: { file_path: path, content } } }, STOP] };
}

export function replaces(path: string, old: string, fresh: string, ...before: Step[]): Reply {
  const args = { file_path: path, instruction: "change it", old_string: old, new_string: fresh };
  return { steps: [...before, { call: { name: "replace", args } }, STOP] };
}

export function runs(command: string): Reply {
  const args = { command, description: "Does it" };
  return { steps: [{ call: { name: "run_shell_command", args } }, STOP] };
}

export class ScriptedModel {
  private constructor(
    readonly url: string,
    private readonly child: ChildProcessWithoutNullStreams,
    private readonly record: string,
  ) {}

  static async start(folder: string, replies: Reply[]): Promise<ScriptedModel> {
    const script = join(folder, "script.json");
    const record = join(folder, "requests.jsonl");
    writeFileSync(script, JSON.stringify({ replies }));
    writeFileSync(record, "");
    const child = start(required("POLLUX_SCRIPTED_MODEL"), ["--script", script, "--record", record], {});
    const said = JSON.parse(await firstLine(child)) as { url: string };
    return new ScriptedModel(said.url, child, record);
  }

  open(gate: string): void {
    this.child.stdin.write(`open ${gate}\n`);
  }

  /** Everything that the model was asked, as text. */
  get asked(): string {
    return readFileSync(this.record, "utf8");
  }

  /** The requests in which this stands, oldest first. */
  requests(part: string): string[] {
    return this.asked.split("\n").filter((line) => line.includes(part));
  }

  /** What a window needs in its environment to use it. */
  get environment(): Record<string, string> {
    return { GEMINI_API_KEY: "key-for-the-model", GEMINI_MODEL: "gemini-2.5-pro", GOOGLE_GEMINI_BASE_URL: this.url };
  }

  close(): Promise<void> {
    return end(this.child);
  }
}
