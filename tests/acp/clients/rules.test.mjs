// The rules find what they are for.
import { test } from "node:test";
import assert from "node:assert/strict";
import { Rules } from "./rules.mjs";

const ask = (id, method, params) => ({ jsonrpc: "2.0", id, method, params });
const answer = (id, result) => ({ jsonrpc: "2.0", id, result });
const update = (update, sessionId = "s") => ({ jsonrpc: "2.0", method: "session/update", params: { sessionId, update } });
const chunk = { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "so" } };
const call = (status) => ({ sessionUpdate: "tool_call", toolCallId: "c", title: "Run it", status });
const change = (status, toolCallId = "c") => ({ sessionUpdate: "tool_call_update", toolCallId, status });
const permission = ask(7, "session/request_permission", {
  sessionId: "s",
  toolCall: { toolCallId: "c" },
  options: [{ optionId: "y", name: "Yes", kind: "allow_once" }],
});
const permitted = answer(7, { outcome: { outcome: "selected", optionId: "y" } });
const prompt = ["client", ask(2, "session/prompt", { sessionId: "s", prompt: [{ type: "text", text: "hi" }] })];
const turn = (...between) => [prompt, ...between.map((message) => ["agent", message]), ["agent", answer(2, { stopReason: "end_turn" })]];

/** What is found in a session of these messages. */
function found(...messages) {
  const rules = new Rules();
  const opened = [
    ["client", ask(1, "session/new", { cwd: "/work", mcpServers: [] })],
    ["agent", answer(1, { sessionId: "s" })],
  ];
  for (const [from, message] of [...opened, ...messages]) {
    rules.hear(from, JSON.stringify(message));
  }
  rules.close();
  return rules.faults;
}

test("rules: a turn as it should be has no fault", () => {
  assert.deepEqual(
    found(prompt, ["agent", update(chunk)], ["agent", update(call("pending"))], ["agent", permission], ["client", permitted], ["agent", update(change("completed"))], ["agent", answer(2, { stopReason: "end_turn" })]),
    [],
  );
});

const cases = {
  "a method that nobody knows": [[["agent", ask(3, "fs/burn", {})], ["client", answer(3, {})]], /does not know: fs\/burn/],
  "a message that is not of the schema": [turn(update({ sessionUpdate: "agent_message_chunk" })), /Notification session\/update/],
  "an answer that is not of the schema": [[prompt, ["agent", answer(2, { stopReason: "bored" })]], /Response session\/prompt/],
  "a client that asks for nonsense": [[["client", ask(3, "session/set_mode", { sessionId: "s" })], ["agent", answer(3, {})]], /client: agent Request session\/set_mode/],
  "an update of an unknown call": [turn(update(change("completed", "other"))), /never announced/],
  "a question before its call": [[prompt, ["agent", permission], ["client", permitted], ["agent", answer(2, { stopReason: "end_turn" })]], /before it is announced/],
  "a call that is announced twice": [turn(update(call("completed")), update(call("completed"))), /twice/],
  "a call that is never ended": [turn(update(call("in_progress"))), /while the call c is in_progress/],
  "a call that ends otherwise": [turn(update(call("failed")), update(change("completed"))), /which was failed/],
  "an update after the answer": [[...turn(), ["agent", update(chunk)]], /when nothing is asked/],
  "an update of an unknown session": [[["agent", update(chunk, "other")]], /which nobody has opened/],
  "a question without an answer": [[prompt], /agent: never answered session\/prompt/],
  "a terminal that is kept": [
    [["agent", ask(3, "terminal/create", { sessionId: "s", command: "ls" })], ["client", answer(3, { terminalId: "t" })]],
    /agent: never released the terminal t/,
  ],
  "an answer to nothing": [[["agent", answer(9, {})]], /which nobody asks/],
};
for (const [name, [messages, fault]] of Object.entries(cases)) {
  test(`rules: ${name}`, () => assert.match(found(...messages).join("\n"), fault));
}

test("rules: a line that is no JSON", () => {
  const rules = new Rules();
  rules.hear("agent", "Loading…");
  assert.match(rules.faults[0], /no JSON/);
});
