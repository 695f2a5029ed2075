// acpx, a client for scripts, drives the binary.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import assert from "node:assert/strict";
import { blocks, lay, reached } from "./content.mjs";
import { installed } from "./packages.mjs";
import { scripts } from "./scripts.mjs";
import { PATIENCE, within } from "./world.mjs";

const ACPX = installed("node_modules/acpx/dist/cli.js");
const JSON_LINES = ["--format", "json", "--json-strict"];
/** It keeps the agent of a session for so many seconds after a prompt. */
const SHORTLY = ["--ttl", "1"];

function start(world, words) {
  return spawn(process.execPath, [ACPX, "--agent", world.agent().join(" "), "--cwd", world.work, ...words], {
    cwd: world.work,
    env: world.environment,
    stdio: ["ignore", "pipe", "inherit"],
  });
}

/** What it prints until it ends well. Each line is told as it comes. */
async function acpx(world, words, hear = () => {}) {
  const child = start(world, words);
  const ended = once(child, "close");
  const lines = [];
  for await (const line of createInterface(child.stdout)) {
    lines.push(line);
    await hear(line);
  }
  const [code] = await ended;
  return { code, text: lines.join("\n"), lines };
}

/** The same for a command after which the next may come: it ends whatever its agent has started. */
async function done(world, ...words) {
  const { code, text } = await acpx(world, words);
  assert.equal(code, 0, text);
  await world.everybodyGone();
  return text;
}

/** The messages among its lines that the agent has told. */
function updates(text) {
  const messages = text.split("\n").map((line) => JSON.parse(line));
  return messages.filter((message) => message.method === "session/update").map((message) => message.params.update);
}

function said(text) {
  const chunks = updates(text).filter((update) => update.sessionUpdate === "agent_message_chunk");
  return chunks.map((chunk) => chunk.content.text).join("");
}

function ends(text) {
  const calls = updates(text).filter((update) => update.sessionUpdate === "tool_call_update");
  return [...new Set(calls.map((call) => call.status).filter((status) => ["completed", "failed"].includes(status)))];
}

function scenario(name, script, act) {
  test(`acpx: ${name}`, { timeout: PATIENCE * 2 }, () => within(scripts[script], act));
}

scenario("an answer is streamed and ends the turn", "streaming", async (world) => {
  const { code, text } = await acpx(world, [...JSON_LINES, "exec", "hi"], (line) => {
    if (line.includes('"Hello"')) {
      world.openGate("half");
    }
  });
  assert.equal(code, 0);
  assert.equal(said(text), "Hello there");
  assert.match(text, /"stopReason":"end_turn"/);
});

scenario("what is allowed is done", "allowed", async (world) => {
  const text = await done(world, "--approve-all", ...JSON_LINES, "exec", "make it");
  assert.ok(world.has("made"));
  assert.deepEqual(ends(text), ["completed"]);
  assert.match(text, /it is made/);
});

scenario("what is rejected is not done", "rejectedCommand", async (world) => {
  const { text } = await acpx(world, ["--deny-all", ...JSON_LINES, "exec", "make it"]);
  assert.equal(world.has("made"), false);
  assert.deepEqual(ends(text), ["failed"]);
  assert.match(text, /"stopReason":"end_turn"/);
});

scenario("an edit is shown whole, and written when it is allowed", "edit", async (world) => {
  world.write("a.txt", "one\n");
  const text = await done(world, "--approve-all", ...JSON_LINES, "exec", "write");
  assert.equal(world.read("a.txt"), "two\n");
  assert.equal(world.read("new.txt"), "fresh\n");
  assert.match(text, /"oldText":"one\\n","newText":"two\\n"/);
});

scenario("a rejected edit leaves the file", "rejectedEdit", async (world) => {
  world.write("a.txt", "one\n");
  const { text } = await acpx(world, ["--deny-all", ...JSON_LINES, "exec", "write"]);
  assert.equal(world.read("a.txt"), "one\n");
  assert.deepEqual(ends(text), ["failed"]);
});

scenario("the steps of the model are a plan", "plan", async (world) => {
  const text = await done(world, ...JSON_LINES, "exec", "plan");
  const plan = updates(text).find((update) => update.sessionUpdate === "plan");
  assert.deepEqual(
    plan.entries.map((entry) => entry.content),
    ["look", "change"],
  );
});

scenario("a mode is set, and counts", "mode", async (world) => {
  await done(world, "sessions", "new");
  assert.match(await done(world, "set-mode", "yolo"), /yolo/);
  const text = await done(world, "--deny-all", ...SHORTLY, ...JSON_LINES, "prompt", "make it");
  assert.ok(world.has("made"));
  assert.deepEqual(ends(text), ["completed"]);
});

scenario("an option is set, and counts", "option", async (world) => {
  await done(world, ...JSON_LINES, "exec", "--config-option", "model=flash", "look");
  assert.match(world.asked.at(-1), /models\/gemini-3-flash-preview/);
});

scenario("a session is listed, and goes on in the next process", "resuming", async (world) => {
  await done(world, "sessions", "new");
  await done(world, ...SHORTLY, ...JSON_LINES, "prompt", "first words");
  const { sessions } = JSON.parse(await done(world, "--format", "json", "sessions", "list"));
  assert.equal(sessions.length, 1);
  assert.equal(sessions[0].cwd, world.work);
  const text = await done(world, ...SHORTLY, ...JSON_LINES, "prompt", "and now?");
  assert.equal(said(text), "still here");
  const asked = world.asked.at(-1);
  assert.ok(asked.includes("first words") && asked.includes("Hello there"), "the model knows what was said before");
});

scenario("a stop ends the turn and is no error", "stopped", async (world) => {
  await done(world, "sessions", "new");
  let stop;
  const { text } = await acpx(world, [...SHORTLY, ...JSON_LINES, "prompt", "go"], (line) => {
    if (line.includes('"agent_message_chunk"')) {
      stop ??= acpx(world, ["cancel"]);
    }
  });
  assert.equal((await stop).code, 0);
  assert.match(text, /"stopReason":"cancelled"/);
});

scenario("pictures, sounds, texts and files reach the model", "content", async (world) => {
  lay(world);
  // What stands among its arguments it takes for words.
  const prompt = join(world.home, "prompt.json");
  writeFileSync(prompt, JSON.stringify(blocks(world)));
  await done(world, ...JSON_LINES, "exec", "--file", prompt);
  reached(world);
});
