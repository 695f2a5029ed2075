#!/usr/bin/env node
// Stands in for the program: starts the real one, and writes down what is said to it and by it.
import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { StreamMessageReader } from "vscode-languageserver-protocol/node";
import { required } from "../e2e/processes";
import type { Line } from "./record";

const record = join(required("POLLUX_PLACE"), "record.jsonl");
const note = (line: Line): void => appendFileSync(record, `${JSON.stringify(line)}\n`);

const child = spawn(required("POLLUX_BINARY"), process.argv.slice(2), { stdio: ["pipe", "pipe", "inherit"] });
note({ kind: "started", program: process.argv[1] ?? "", pid: child.pid ?? 0 });

new StreamMessageReader(process.stdin).listen((message) => note({ kind: "client", message }));
new StreamMessageReader(child.stdout).listen((message) => note({ kind: "server", message }));
process.stdin.pipe(child.stdin);
child.stdout.pipe(process.stdout);
// The other end may be gone first, on either side.
child.stdin.on("error", () => undefined);
process.stdout.on("error", () => undefined);
process.on("SIGTERM", () => child.kill());
child.on("exit", (code) => {
  note({ kind: "ended" });
  process.exit(code ?? 1);
});
