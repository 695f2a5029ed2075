// The official Python library drives the binary.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import assert from "node:assert/strict";
import { reached } from "./content.mjs";
import { required } from "./packages.mjs";
import { scripts } from "./scripts.mjs";
import { PATIENCE, within } from "./world.mjs";

const CLIENT = join(import.meta.dirname, "client.py");

async function drive(world, scenario) {
  const words = ["-B", CLIENT, scenario, ...world.agent()];
  const python = spawn(required("POLLUX_ACP_PYTHON"), words, {
    cwd: world.work,
    env: world.environment,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(python, "close");
  for await (const line of createInterface(python.stdout)) {
    const gate = /^open (\w+)$/.exec(line)?.[1];
    assert.ok(gate, line);
    world.openGate(gate);
  }
  const [code] = await ended;
  assert.equal(code, 0, `${scenario} went wrong`);
}

function scenario(name, script, look = () => {}, settings) {
  test(`Python: ${name}`, { timeout: PATIENCE * 2 }, () =>
    within(scripts[script], async (world) => {
      if (settings) {
        world.settings(settings);
      }
      await drive(world, script);
      await look(world);
    }),
  );
}

scenario("an answer is streamed and ends the turn", "streaming");
scenario("what is allowed is done", "allowed");
scenario("what is rejected is not done, and the session goes on", "rejected");
scenario("an edit is shown whole, and written when it is allowed", "edit");
scenario("a rejected edit leaves the file", "rejectedEdit");
scenario("the steps of the model are a plan", "plan");
scenario("a mode is set, told, and counts", "mode");
scenario("options are set and commands are offered", "nothing");
scenario("a session is listed, and loaded by the next client", "loading", (world) => drive(world, "loaded"));
scenario("a stop ends the turn and is no error", "cancel");
scenario("pictures, sounds, texts and files reach the model", "content", reached);
scenario("what a command prints is shown while it runs", "output");
scenario("files are read with what is not saved, and written by the client", "files");
scenario("questions of the model are a form", "form", (world) => assert.match(world.asked.at(-1), /right/));
scenario(
  "a command runs in a terminal of the client's",
  "terminal",
  (world) => assert.match(world.asked.at(-1), /Exit Code: 3/),
  { pollux: { acp: { clientTerminal: true } } },
);
scenario("a key is looked for, and a session is closed and resumed", "letGo");
