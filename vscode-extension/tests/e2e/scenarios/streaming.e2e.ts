import assert from "node:assert/strict";
import { scene } from "../scenario";

const STREAM = {
  asks: "tell me about the upload in pieces",
  files: { "stream/spoken.md": "# Spoken\n" },
  replies: [
    {
      steps: [
        { thought: "**Looking at it**\nThe upload is somewhere." },
        { text: "The upload comes in " },
        { gate: "stream: more" },
        { text: "three parts:\n\n1. read\n2. send\n\n```rust\nfn send() -> u32 {\n" },
        { gate: "stream: rest" },
        { text: "    41 + 1\n}\n```\n\nThat is **everything**." },
        { finish: { reason: "STOP", usage: { prompt: 12_000, output: 345 } } },
      ],
    },
  ],
};

scene("an answer appears while it is written", STREAM, async (workbench) => {
  const chat = workbench.chat();
  const rows = chat.locator(".rows");
  await workbench.openFile("spoken.md", "stream/spoken.md");
  await workbench.ask(STREAM.asks);
  await rows.getByText("The upload comes in").waitFor();
  await chat.locator(".activity").waitFor();
  assert.equal(await rows.getByText("three parts").count(), 0, "nothing is shown before it was said");
  await workbench.picture("streaming-first-words");
  workbench.model?.open("stream: more");
  await rows.locator("li", { hasText: "send" }).waitFor();
  await rows.locator("pre", { hasText: "fn send()" }).waitFor();
  await chat.locator(".activity").waitFor();
  await workbench.picture("streaming-code-half-written");
  workbench.model?.open("stream: rest");
  await rows.getByText("That is everything.").waitFor();
  await workbench.quietChat();
  await rows.locator("pre .hljs-keyword", { hasText: "fn" }).waitFor();
  const behind = await rows.locator("pre code").evaluate((code) => getComputedStyle(code).backgroundColor);
  assert.equal(behind, "rgba(0, 0, 0, 0)", "a block of code is not marked like a word in a sentence");
  assert.equal(await workbench.page.locator(".tab").count(), 1, "an answer opens nothing");
  await workbench.status("Pollux · 12k").waitFor();
  await chat.locator(".meter", { hasText: "12k" }).waitFor();
  await workbench.status("Pollux · 12k").hover();
  const tooltip = workbench.page.locator(".monaco-hover", { hasText: "Tokens" });
  await tooltip.waitFor();
  assert.match(await tooltip.innerText(), /Mode\s+Default/, "modes have the names that the chat gives them");
  await workbench.picture("streaming-done");
});
