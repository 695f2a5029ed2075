// Terminals as a client has them: commands of the agent run here, and what they print is kept.
import { spawn } from "node:child_process";
import { once } from "node:events";
import assert from "node:assert/strict";

export class Terminals {
  /** What was to be run, oldest first. */
  commands = [];
  #open = new Map();

  create({ command, args, env = [], cwd }) {
    assert.deepEqual([command, args[0]], ["bash", "-c"]);
    this.commands.push(args[1]);
    const variables = Object.fromEntries(env.map(({ name, value }) => [name, value]));
    const child = spawn(command, args, { cwd, env: { ...process.env, ...variables }, stdio: ["ignore", "pipe", "pipe"] });
    const terminal = { child, output: "", ended: once(child, "close") };
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text) => (terminal.output += text));
    }
    const terminalId = `t${this.commands.length}`;
    this.#open.set(terminalId, terminal);
    return { terminalId };
  }

  output({ terminalId }) {
    const { child, output } = this.#get(terminalId);
    const exitStatus = child.exitCode === null ? undefined : { exitCode: child.exitCode };
    return { output, truncated: false, exitStatus };
  }

  async waitForExit({ terminalId }) {
    const [exitCode, signal] = await this.#get(terminalId).ended;
    return { exitCode, signal };
  }

  kill({ terminalId }) {
    this.#get(terminalId).child.kill("SIGKILL");
    return {};
  }

  release({ terminalId }) {
    this.kill({ terminalId });
    this.#open.delete(terminalId);
    return {};
  }

  #get(terminalId) {
    const terminal = this.#open.get(terminalId);
    assert.ok(terminal, `there is no terminal ${terminalId}`);
    return terminal;
  }
}
