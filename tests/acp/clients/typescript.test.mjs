// The official TypeScript library drives the binary.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { test } from "node:test";
import assert from "node:assert/strict";
import { blocks, lay, reached } from "./content.mjs";
import { Terminals } from "./terminals.mjs";
import { Client, methods } from "./typescript.mjs";
import { scripts } from "./scripts.mjs";
import { PATIENCE, within } from "./world.mjs";

function scenario(name, replies, act, offers = () => ({})) {
  test(`TypeScript: ${name}`, { timeout: PATIENCE * 2 }, () =>
    within(replies, async (world) => {
      const client = await Client.start(world, offers(world));
      const opened = await client.open(world);
      await act({ world, client, opened, session: opened.sessionId });
      await client.close();
    }),
  );
}

const ended = (update) => ["completed", "failed"].includes(update.status);

scenario(
  "an answer is streamed and ends the turn",
  scripts.streaming,
  async ({ world, client, session }) => {
    const turn = client.prompt(session, "hi");
    await client.update("agent_message_chunk", (chunk) => chunk.content.text === "Hello");
    world.openGate("half");
    assert.equal(await turn, "end_turn");
    assert.equal(client.text(), "Hello there");
    assert.match(client.text("agent_thought_chunk"), /Thinking/);
    const usage = await client.update("usage_update");
    assert.equal(usage.used, 25);
  },
);

scenario(
  "what is allowed is done",
  scripts.allowed,
  async ({ world, client, session }) => {
    const turn = client.prompt(session, "make it");
    const question = await client.question();
    assert.equal(question.toolCall.rawInput.command, "touch made && echo it is made");
    assert.equal(world.has("made"), false);
    question.answer("allow_once");
    assert.equal(await turn, "end_turn");
    assert.ok(world.has("made"));
    const end = await client.update("tool_call_update", ended);
    assert.equal(end.status, "completed");
    assert.match(JSON.stringify(client.updates), /it is made/);
  },
);

scenario(
  "a sub-agent shows what it does, and its calls name it",
  scripts.agent,
  async ({ world, client, session }) => {
    const turn = client.prompt(session, "have it made");
    const question = await client.question();
    assert.match(question.toolCall.title, /^Generalist: .*touch made/);
    question.answer("allow_once");
    assert.equal(await turn, "end_turn");
    assert.ok(world.has("made"));
    const agent = await client.update("tool_call", (call) => call.name === "invoke_agent");
    assert.equal(agent.kind, "think");
    const command = await client.update("tool_call", (call) => call.toolCallId === question.toolCall.toolCallId);
    assert.equal(command._meta.parentToolCallId, agent.toolCallId);
    const end = await client.update("tool_call_update", (update) => ended(update) && update.toolCallId === agent.toolCallId);
    assert.match(end.content[0].content.text, /^- ✓ `.*touch made`\n[^]*\n\nIt is made\.$/);
  },
);

scenario(
  "what is rejected is not done, and the session goes on",
  scripts.rejected,
  async ({ world, client, session }) => {
    const turn = client.prompt(session, "make it");
    (await client.question()).answer("reject_once");
    assert.equal(await turn, "end_turn");
    assert.equal((await client.update("tool_call_update", ended)).status, "failed");
    assert.equal(world.has("made"), false);
    assert.equal(client.text(), "something else then");
    assert.equal(await client.prompt(session, "and now?"), "end_turn");
    assert.equal(client.text(), "something else then, as you like");
  },
);

scenario(
  "an edit is shown whole, and written when it is allowed",
  scripts.edit,
  async ({ world, client, session }) => {
    world.write("a.txt", "one\n");
    const turn = client.prompt(session, "write");
    const first = await client.question();
    const made = first.toolCall.content.find((content) => content.type === "diff");
    assert.deepEqual([made.path, made.oldText ?? null, made.newText], [world.file("new.txt"), null, "fresh\n"]);
    first.answer("allow_once");
    const second = await client.question();
    const changed = second.toolCall.content.find((content) => content.type === "diff");
    assert.deepEqual([changed.path, changed.oldText, changed.newText], [world.file("a.txt"), "one\n", "two\n"]);
    assert.equal(world.read("a.txt"), "one\n");
    second.answer("allow_once");
    assert.equal(await turn, "end_turn");
    assert.equal(world.read("new.txt"), "fresh\n");
    assert.equal(world.read("a.txt"), "two\n");
  },
);

scenario(
  "a rejected edit leaves the file",
  scripts.rejectedEdit,
  async ({ world, client, session }) => {
    world.write("a.txt", "one\n");
    const turn = client.prompt(session, "write");
    (await client.question()).answer("reject_once");
    assert.equal(await turn, "end_turn");
    assert.equal(client.text(), "left as it is");
    assert.equal(world.read("a.txt"), "one\n");
  },
);

scenario(
  "the steps of the model are a plan",
  scripts.plan,
  async ({ client, session }) => {
    assert.equal(await client.prompt(session, "plan"), "end_turn");
    const { entries } = await client.update("plan");
    assert.deepEqual(
      entries.map(({ content, status }) => [content, status]),
      [
        ["look", "completed"],
        ["change", "in_progress"],
      ],
    );
  },
);

scenario("a mode is set, told, and counts", scripts.mode, async ({ world, client, opened, session }) => {
  const modes = opened.modes.availableModes.map((mode) => mode.id);
  assert.ok(modes.includes("plan") && modes.includes("yolo"), `${modes}`);
  await client.ask(methods.agent.session.setMode, { sessionId: session, modeId: "yolo" });
  await client.update("current_mode_update", (update) => update.currentModeId === "yolo");
  assert.equal(await client.prompt(session, "make it"), "end_turn");
  assert.ok(world.has("made"));
});

scenario("an option is set and all of them are answered", scripts.nothing, async ({ client, opened, session }) => {
  const categories = opened.configOptions.map((option) => option.category);
  assert.ok(categories.includes("mode") && categories.includes("model"), `${categories}`);
  for (const [configId, value] of [
    ["mode", "plan"],
    ["model", "flash"],
  ]) {
    const set = await client.ask(methods.agent.session.setConfigOption, { sessionId: session, configId, value });
    assert.equal(set.configOptions.length, opened.configOptions.length);
    assert.equal(set.configOptions.find((option) => option.id === configId).currentValue, value);
  }
  await assert.rejects(
    client.ask(methods.agent.session.setConfigOption, { sessionId: session, configId: "mode", value: "wild" }),
    /wild/,
  );
});

scenario("the commands are offered", scripts.nothing, async ({ client }) => {
  const { availableCommands } = await client.update("available_commands_update");
  assert.ok(availableCommands.length > 6, `${availableCommands.length} commands`);
});

scenario(
  "a session is listed, and loaded by the next client",
  scripts.loading,
  async ({ world, client, session }) => {
    await client.ask(methods.agent.session.setMode, { sessionId: session, modeId: "yolo" });
    assert.equal(await client.prompt(session, "first words"), "end_turn");
    // Who stays hears also what others do in the session.
    await client.close();
    const next = await Client.start(world);
    const { sessions } = await next.ask(methods.agent.session.list, { cwd: world.work });
    assert.deepEqual(
      sessions.map(({ sessionId, cwd }) => [sessionId, cwd]),
      [[session, world.work]],
    );
    await next.ask(methods.agent.session.load, { sessionId: session, cwd: world.work, mcpServers: [] });
    assert.equal(next.text("user_message_chunk"), "first words");
    assert.equal(next.text(), "Hello there");
    await next.update("tool_call");
    assert.equal(await next.prompt(session, "and now?"), "end_turn");
    assert.equal(next.text(), "Hello therestill here");
    await next.close();
  },
);

scenario("a stop ends the turn and is no error", scripts.cancel, async ({ client, session }) => {
  const turn = client.prompt(session, "go");
  await client.update("agent_message_chunk");
  await client.cancel(session);
  assert.equal(await turn, "cancelled");
  assert.equal(await client.prompt(session, "again"), "end_turn");
});

scenario("pictures, sounds, texts and files reach the model", scripts.content, async ({ world, client, session }) => {
  lay(world);
  assert.equal(await client.prompt(session, ...blocks(world)), "end_turn");
  reached(world);
});

scenario(
  "what a command prints is shown while it runs",
  scripts.output,
  async ({ world, client, session }) => {
    execFileSync("mkfifo", [world.file("gate")]);
    await client.ask(methods.agent.session.setMode, { sessionId: session, modeId: "yolo" });
    const turn = client.prompt(session, "go");
    const shows = (words) => (update) => JSON.stringify(update.content ?? "").includes(words);
    await client.update("tool_call_update", (update) => shows("begun")(update) && !ended(update));
    writeFileSync(world.file("gate"), "through\n");
    assert.equal(await turn, "end_turn");
    await client.update("tool_call_update", shows("through"));
  },
);

const unsaved = "not saved\n";
const written = [];
scenario(
  "files are read with what is not saved, and written by the client",
  scripts.files,
  async ({ world, client, session }) => {
    world.write("a.txt", "one\n");
    const turn = client.prompt(session, "go");
    const question = await client.question();
    const { oldText } = question.toolCall.content.find((content) => content.type === "diff");
    assert.equal(oldText, unsaved);
    question.answer("allow_once");
    assert.equal(await turn, "end_turn");
    assert.deepEqual(written, [{ path: world.file("a.txt"), content: "two\n" }]);
  },
  (world) => ({
    files: {
      read: ({ path }) => ({ content: written.length > 0 ? world.read("a.txt") : path === world.file("a.txt") ? unsaved : "" }),
      write: ({ path, content }) => {
        written.push({ path, content });
        writeFileSync(path, content);
        return {};
      },
    },
  }),
);

scenario(
  "questions of the model are a form",
  scripts.form,
  async ({ world, client, session }) => {
    assert.equal(await client.prompt(session, "ask me"), "end_turn");
    assert.match(world.asked.at(-1), /right/);
  },
  () => ({
    form: ({ mode, requestedSchema }) => {
      assert.equal(mode, "form");
      const [name] = Object.keys(requestedSchema.properties);
      return { action: "accept", content: { [name]: "right" } };
    },
  }),
);

scenario(
  "a command is shown as a terminal of ours",
  scripts.terminal,
  async ({ client, session }) => {
    await client.ask(methods.agent.session.setMode, { sessionId: session, modeId: "yolo" });
    assert.equal(await client.prompt(session, "go"), "end_turn");
    const call = await client.update("tool_call");
    const { terminal_id: id } = call._meta.terminal_info;
    assert.deepEqual(call.content, [{ type: "terminal", terminalId: id }]);
    const exit = await client.update("tool_call_update", (update) => update._meta?.terminal_exit);
    assert.deepEqual(exit._meta.terminal_exit, { terminal_id: id, exit_code: 3, signal: null });
  },
  () => ({ capabilities: { _meta: { terminal_output: true } } }),
);

const terminals = new Terminals();
scenario(
  "a command runs in a terminal of the client's",
  scripts.terminal,
  async ({ world, client, session }) => {
    await client.ask(methods.agent.session.setMode, { sessionId: session, modeId: "yolo" });
    assert.equal(await client.prompt(session, "go"), "end_turn");
    const shown = (update) => update.content?.some(({ type, terminalId }) => type === "terminal" && terminalId === "t1");
    await client.update("tool_call_update", shown);
    assert.deepEqual(terminals.commands, ["echo out; exit 3"]);
    assert.match(world.asked.at(-1), /Exit Code: 3/);
  },
  (world) => {
    world.settings({ pollux: { acp: { clientTerminal: true } } });
    return { terminals };
  },
);

scenario("a key is given and taken back", scripts.nothing, async ({ world, client }) => {
  const [{ id }] = client.initialized.authMethods;
  assert.deepEqual(await client.ask(methods.agent.authenticate, { methodId: id, _meta: { "api-key": "another" } }), {});
  await assert.rejects(client.ask(methods.agent.authenticate, { methodId: "by-magic" }), /by-magic/);
  await client.ask(methods.agent.logout, {});
  await assert.rejects(client.open(world), /authenticate first/);
});

scenario("a session is closed, resumed and deleted", scripts.letGo, async ({ world, client, session }) => {
  assert.equal(await client.prompt(session, "hi"), "end_turn");
  const named = { sessionId: session };
  await client.ask(methods.agent.session.close, named);
  await assert.rejects(client.prompt(session, "more"), /no session/);
  await client.ask(methods.agent.session.resume, { ...named, cwd: world.work, mcpServers: [] });
  await client.ask(methods.agent.session.delete, named);
  const { sessions } = await client.ask(methods.agent.session.list, { cwd: world.work });
  assert.deepEqual(sessions, []);
});
