import assert from "node:assert/strict";
import { test } from "node:test";
import { agentJob, agentName, agentReport, wholeJob } from "../../../webview/words/agents";

const told = (result: string): string => `Subagent 'scout' finished.\nTermination Reason: GOAL\nResult:\n${result}`;

test("a sub-agent and its job are told apart by the title of its call", () => {
  assert.deepEqual([agentName("Scout: Find it: now"), agentJob("Scout: Find it: now")], ["Scout", "Find it: now"]);
  assert.deepEqual([agentName("Scout"), agentJob("Scout")], ["Scout", ""]);
  assert.equal(wholeJob('{ "agent_name": "scout", "prompt": "Find it\\nand tell" }'), "Find it\nand tell");
  assert.equal(wholeJob('{ "prompt": "cut of…'), undefined);
});

test("a result is shown without what was said to the model, whatever its shape", () => {
  assert.equal(agentReport(told("It is **there**.")), "It is **there**.");
  assert.equal(agentReport(told('{ "response": "It is **there**." }')), "It is **there**.");
  assert.equal(agentReport(told('{ "SummaryOfFindings": "There.", "exploration_trace": ["looked", "found"] }')), "**Summary of findings**\n\nThere.\n\n**Exploration trace**\n\n- looked\n- found");
  assert.equal(agentReport(told('{ "places": [{ "line": 2 }] }')), '**Places**\n\n```json\n[\n  {\n    "line": 2\n  }\n]\n```');
  assert.equal(agentReport(told("{ not what it looks like")), "{ not what it looks like");
});
