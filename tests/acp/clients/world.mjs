// A home, a runtime folder and a workspace that no other test sees, with a model that plays a script.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as after } from "node:timers/promises";
import assert from "node:assert/strict";
import { required } from "./packages.mjs";
import { judge } from "./rules.mjs";

/** Longer than anything takes on a busy machine. */
export const PATIENCE = 120_000;
const RECORDER = join(import.meta.dirname, "recorder.mjs");

export const STOP = { finish: { reason: "STOP", usage: { prompt: 20, output: 5 } } };

export function says(...texts) {
  return { steps: [...texts.map((text) => ({ text })), STOP] };
}

export function calls(name, args) {
  return { steps: [{ call: { name, args } }, STOP] };
}

export function runs(command) {
  return calls("run_shell_command", { command });
}

export class World {
  #folder;
  #model;
  #lines;

  static async open(replies) {
    const world = new World();
    // Short: the name of a socket is limited.
    world.#folder = realpathSync(mkdtempSync("/tmp/pollux-"));
    for (const name of ["home", "work", "tmp", "traffic"]) {
      mkdirSync(join(world.#folder, name));
    }
    mkdirSync(join(world.#folder, "run"), { mode: 0o700 });
    const script = join(world.#folder, "script.json");
    writeFileSync(script, JSON.stringify({ strict: true, replies }));
    writeFileSync(world.#record, "");
    const words = ["--script", script, "--record", world.#record];
    world.#model = spawn(required("POLLUX_SCRIPTED_MODEL"), words, { stdio: ["pipe", "pipe", "inherit"] });
    world.#lines = createInterface(world.#model.stdout)[Symbol.asyncIterator]();
    world.url = JSON.parse((await world.#lines.next()).value).url;
    return world;
  }

  get home() {
    return join(this.#folder, "home");
  }

  get work() {
    return join(this.#folder, "work");
  }

  get #traffic() {
    return join(this.#folder, "traffic");
  }

  get #record() {
    return join(this.#folder, "requests.jsonl");
  }

  file(name) {
    return join(this.work, name);
  }

  write(name, text) {
    writeFileSync(this.file(name), text);
  }

  /** What the person has set up. */
  settings(settings) {
    mkdirSync(join(this.home, ".gemini"), { recursive: true });
    writeFileSync(join(this.home, ".gemini/settings.json"), JSON.stringify(settings));
  }

  read(name) {
    return readFileSync(this.file(name), "utf8");
  }

  has(name) {
    return existsSync(this.file(name));
  }

  /** Lets the model go on. */
  openGate(name) {
    this.#model.stdin.write(`open ${name}\n`);
  }

  /** Everything that the model was asked, oldest first. */
  get asked() {
    const lines = readFileSync(this.#record, "utf8").split("\n");
    return lines.filter(Boolean);
  }

  /** This world and nothing else. */
  get environment() {
    return {
      PATH: process.env.PATH,
      HOME: this.home,
      POLLUX_RUNTIME_DIR: join(this.#folder, "run"),
      TMPDIR: join(this.#folder, "tmp"),
      POLLUX_LOG: "debug",
      GEMINI_API_KEY: "key-for-the-model",
      GEMINI_MODEL: "gemini-2.5-pro",
      GOOGLE_GEMINI_BASE_URL: this.url,
      GEMINI_CLI_TRUST_WORKSPACE: "true",
    };
  }

  /** The words that start the agent, with a recorder in between. */
  agent() {
    return [process.execPath, RECORDER, this.#traffic, required("POLLUX_BINARY"), "acp"];
  }

  /** Sees that nobody is left, that the script was played to its end, and that all that was said was well said. */
  async close() {
    await this.everybodyGone();
    this.#model.stdin.end();
    const [code] = await new Promise((resolve) => this.#model.on("close", (...end) => resolve(end)));
    assert.equal(code, 0, "the script of the model was not played to its end");
    const files = readdirSync(this.#traffic);
    assert.ok(files.length > 0, "nothing was recorded");
    for (const file of files) {
      const { faults, count } = judge(join(this.#traffic, file));
      assert.ok(count > 2, `${count} messages were recorded`);
      assert.deepEqual(faults, []);
    }
    rmSync(this.#folder, { recursive: true });
  }

  /** Comes back when no process of this world is left. */
  async everybodyGone() {
    const mark = `POLLUX_RUNTIME_DIR=${join(this.#folder, "run")}`;
    const left = () =>
      readdirSync("/proc").filter((name) => {
        try {
          return /^\d+$/.test(name) && readFileSync(`/proc/${name}/environ`, "utf8").split("\0").includes(mark);
        } catch {
          return false;
        }
      });
    const begun = Date.now();
    while (left().length > 0) {
      assert.ok(Date.now() - begun < PATIENCE, `processes ${left()} are still there`);
      await after(50);
    }
  }
}

/** A test in a world of its own. What fails leaves its world to be looked at. */
export async function within(replies, act) {
  const world = await World.open(replies);
  await act(world);
  await world.close();
}
