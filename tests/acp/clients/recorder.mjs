// Stands between a client and the agent: passes everything on, and writes it down line by line before it does.
//
// usage: recorder.mjs FOLDER PROGRAM [ARGUMENT…]
import { spawn } from "node:child_process";
import { openSync, writeSync } from "node:fs";
import { join } from "node:path";

const [folder, program, ...words] = process.argv.slice(2);
// One file for each connection: a client may have several.
const log = openSync(join(folder, `${process.pid}.jsonl`), "a");
const agent = spawn(program, words, { stdio: ["pipe", "pipe", "inherit"] });

/** Whole lines only: half a line says nothing about a message. */
function pass(from, input, output) {
  let rest = "";
  input.setEncoding("utf8");
  input.on("data", (text) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      writeSync(log, `${JSON.stringify({ from, line })}\n`);
      output.write(`${line}\n`);
    }
  });
  input.on("end", () => {
    if (rest) {
      writeSync(log, `${JSON.stringify({ from, line: rest })}\n`);
      output.write(rest);
    }
    output.end();
  });
  // Who reads no more is about to end, which is noticed below.
  output.on("error", () => {});
}

pass("client", process.stdin, agent.stdin);
pass("agent", agent.stdout, process.stdout);
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) {
  process.on(signal, () => agent.kill(signal));
}
agent.on("error", (error) => {
  console.error(`${program}: ${error.message}`);
  process.exit(127);
});
agent.on("close", (code) => {
  process.exitCode = code ?? 1;
  process.stdin.destroy();
});
