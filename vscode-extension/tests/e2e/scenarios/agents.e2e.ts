import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { runs, says, type Reply, type Step } from "../model";
import { scene } from "../scenario";

const STOP: Step = { finish: { reason: "STOP" } };
const calls = (name: string, args: Record<string, unknown>, ...before: Step[]): Reply => ({ steps: [...before, { call: { name, args } }, STOP] });

const WORK = "find out for me who counts the retries";

const WATCHED = {
  asks: WORK,
  files: { "agents/counter.rs": "fn upload() {\n    let mut attempts = 0;\n}\n", "agents/scouts.md": "# Agents\n" },
  replies: [
    calls("invoke_agent", { agent_name: "generalist", prompt: `${WORK}\n\nName the file and the line.` }, { text: "I hand this over." }),
    calls("read_file", { file_path: "agents/counter.rs" }, { thought: "**Looking at the upload**\nThe counter must be there." }),
    runs("touch agents/counted.txt"),
    calls(
      "complete_task",
      { result: { response: "The counter is in `counter.rs`, line **2**." } },
      { thought: "**Putting it together**\nThat is all." },
      { text: "The counter is a local variable." },
      { gate: "report" },
    ),
    says("It is counted in line 2."),
  ],
};

scene("what a sub-agent does is seen as it happens, is answered in its card, and is there again after a reload", WATCHED, async (workbench) => {
  const chat = workbench.chat();
  const card = chat.locator(".agent", { hasText: "Generalist" });
  const inside = card.locator(".inside");
  await workbench.ask(WATCHED.asks);

  // The composer is empty and has the focus, so the question inside the card takes it.
  const question = card.locator(".question[data-armed=true]", { hasText: "touch agents/counted.txt" });
  await question.waitFor();
  await card.locator(".agent-thought", { hasText: "Looking at the upload" }).waitFor();
  await inside.locator(".tool", { hasText: "counter.rs" }).waitFor();
  await card.locator(".line-end", { hasText: "turn 2 of 20" }).waitFor();
  await workbench.picture("agent-asks-dark");
  await workbench.wear("light");
  await chat.locator("body.vscode-light").waitFor();
  await workbench.picture("agent-asks-light");
  await workbench.wear("dark");
  await chat.locator("body.vscode-dark").waitFor();
  await question.focus();
  await question.press("Enter");

  await card.locator(".agent-words", { hasText: "The counter is a local variable." }).waitFor();
  await card.locator(".agent-thought", { hasText: "Putting it together" }).waitFor();
  assert.ok(existsSync(join(workbench.folder, "agents/counted.txt")), "what was allowed has run");
  await workbench.picture("agent-works-dark");
  workbench.model?.open("report");

  await workbench.said("It is counted in line 2.");
  await workbench.quietChat();
  assert.equal(await inside.count(), 0, "one line is left");
  const rows = chat.locator(".rows");
  const before = await rows.innerText();
  await card.locator(".fold-line").first().click();
  assert.equal(await card.locator(".markdown").innerText(), "The counter is in counter.rs, line 2.");
  await workbench.picture("agent-ended-dark");

  await workbench.page.reload();
  await workbench.page.locator(".monaco-workbench").waitFor();
  await workbench.said("It is counted in line 2.");
  await workbench.quietChat();
  assert.equal(await rows.innerText(), before);
  await card.locator(".fold-line").first().click();
  await inside.locator(".tool", { hasText: "counter.rs" }).waitFor();
  await inside.locator(".tool", { hasText: "touch agents/counted.txt" }).waitFor();
});

const LOST = "look for something that nobody finds";

const STOPPED = {
  asks: LOST,
  files: { "agents/hay.md": "hay\n" },
  replies: [
    calls("invoke_agent", { agent_name: "generalist", prompt: LOST }),
    calls("read_file", { file_path: "agents/hay.md" }),
    { steps: [{ text: "I look and look." }, { gate: "never-found" }, STOP] } satisfies Reply,
    says("Then without it."),
  ],
};

scene("a sub-agent is stopped with its button, and the turn goes on", STOPPED, async (workbench) => {
  const chat = workbench.chat();
  const card = chat.locator(".agent", { hasText: "Generalist" });
  await workbench.ask(STOPPED.asks);
  await card.locator(".agent-words", { hasText: "I look and look." }).waitFor();
  await chat.getByRole("button", { name: /^Stop .*Generalist/ }).click();
  await workbench.said("Then without it.");
  await workbench.quietChat();
  await card.locator(".line-end", { hasText: "stopped" }).waitFor();
  assert.equal(await chat.locator(".note.stopped").count(), 0, "the turn itself was not stopped");
  await workbench.picture("agent-stopped-dark");
});
