// The extension as the host loads it: by itself, with everything that the manifest promises.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as vscode from "vscode";
import { required } from "../../e2e/processes";
import { recorded, starts } from "../record";
import { test } from "./suite";
import { until } from "./window";

interface Manifest {
  engines: { vscode: string };
  contributes: {
    commands: { command: string; enablement?: string }[];
    keybindings: { command: string; key: string; mac?: string; when?: string }[];
  };
}

function extension(): vscode.Extension<unknown> {
  const found = vscode.extensions.getExtension("pollux.pollux");
  assert.ok(found !== undefined, "the extension is not installed");
  return found;
}

const manifest = (): Manifest => extension().packageJSON as Manifest;

test("the extension is active by itself, and its client has started the server", async () => {
  await until(() => extension().isActive, Boolean, "the extension is not active");
  const greeted = (): boolean =>
    recorded().some((line) => line.kind === "server" && "result" in line.message && hasCapabilities(line.message.result));
  await until(greeted, Boolean, "the server has not answered `initialize`");
  assert.equal(starts().length, 1);
});

function hasCapabilities(result: unknown): boolean {
  return typeof result === "object" && result !== null && "capabilities" in result;
}

test("every command of the manifest is registered", async () => {
  const registered = new Set(await vscode.commands.getCommands(true));
  const missing = manifest().contributes.commands.filter(({ command }) => !registered.has(command));
  assert.deepEqual(missing, []);
});

test("every key is guarded, and none is what a person saves with", () => {
  const { keybindings, commands } = manifest().contributes;
  assert.ok(keybindings.length > 0);
  for (const { command, key, mac, when } of keybindings) {
    const name = `${key} for ${command}`;
    for (const one of [key, mac ?? key]) {
      assert.doesNotMatch(one, /^(ctrl|cmd)\+(shift\+)?s$/, name);
      assert.match(one, /^(ctrl|cmd|alt|meta)\+/, `${name} is a letter that somebody types`);
    }
    const guards = (when ?? "").split(" && ");
    assert.ok(guards.includes("editorTextFocus") && guards.includes("!inSnippetMode"), `${name} works outside of a text`);
    assert.ok(guards.some((guard) => guard.startsWith("pollux.")), `${name} works without anything to review`);
    const { enablement } = commands.find((one) => one.command === command) ?? {};
    assert.ok(enablement !== undefined && guards.includes(enablement), `${name} works where its button does not`);
  }
  return Promise.resolve();
});

test("the log has levels and times, and says which program was started", async () => {
  const logs = join(required("POLLUX_PLACE"), "data/logs");
  const log = (): string => {
    const files = readdirSync(logs, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith("Pollux.log"));
    return files.map((file) => readFileSync(join(logs, file), "utf8")).join("");
  };
  const line = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} \[info\] starting .*\/recorder lsp$/m;
  await until(log, (text) => line.test(text), "the log does not say it");
});

test("the versions that the manifest is for include this one", () => {
  const oldest = /^\^(\d+)\.(\d+)\.\d+$/.exec(manifest().engines.vscode)?.slice(1).map(Number) ?? [];
  const [major = 0, minor = 0] = vscode.version.split(".").map(Number);
  assert.equal(oldest[0], major);
  assert.ok((oldest[1] ?? Infinity) <= minor, `${vscode.version} is older than ${manifest().engines.vscode}`);
  return Promise.resolve();
});
