import assert from "node:assert/strict";
import { says } from "../model";
import { scenario } from "../scenario";

const RUNS = {
  steps: [
    { text: "Let me look **first**." },
    { call: { name: "run_shell_command", args: { command: "touch made.txt", description: "Makes a file" } } },
    { finish: { reason: "STOP" } },
  ],
};

scenario(
  "a prompt is answered, its command is allowed by keyboard, and a reload loses nothing",
  { files: { "notes.md": "# Notes\n" }, replies: [RUNS, says("It is *made*. That is all.")] },
  async (workbench) => {
    await workbench.openFile("notes.md");
    await workbench.run("Pollux: Open Chat");
    const chat = workbench.chat();
    const field = chat.getByRole("textbox", { name: "Prompt" });
    await chat.getByText("Ask about the code, or say what to change.").waitFor();
    await workbench.picture("chat-empty");
    await field.fill("say a word");
    await field.press("Enter");
    const question = chat.locator(".question[data-armed=true]");
    await question.waitFor();
    assert.match(await question.innerText(), /touch made\.txt/);
    await workbench.picture("chat-approval");
    await question.focus();
    await question.press("Enter");
    await chat.locator(".rows").getByText("That is all.").waitFor();
    await chat.locator(".rows").getByText("Let me look first.").waitFor();
    await chat.locator(".activity").waitFor({ state: "detached" });
    await workbench.picture("chat-answered");

    await workbench.page.reload();
    await workbench.page.locator(".monaco-workbench").waitFor();
    const again = workbench.chat();
    await again.locator(".rows").getByText("That is all.").waitFor();
    assert.equal(await again.locator(".question").count(), 0);
    await workbench.picture("chat-reloaded");

    await workbench.run("Pollux: Sessions");
    await again.locator(".session-entry", { hasText: "say a word" }).waitFor();
    await workbench.picture("chat-sessions");
    await workbench.run("Pollux: New Session");
    await again.getByText("Ask about the code, or say what to change.").waitFor();
  },
);

scenario(
  "commands, files and what was sent are there for the asking",
  { files: { "src/upload.rs": "fn upload() {}\n", "notes.md": "# Notes\n" }, replies: [says("Read.")] },
  async (workbench) => {
    await workbench.openFile("notes.md");
    await workbench.run("Pollux: Open Chat");
    const chat = workbench.chat();
    const field = chat.getByRole("textbox", { name: "Prompt" });
    await field.click();
    await field.pressSequentially("/he");
    await chat.locator(".menu-item", { hasText: "/help" }).first().waitFor();
    await field.fill("");
    await field.pressSequentially("look at @uplo");
    await chat.locator(".menu-item", { hasText: "upload.rs" }).first().waitFor();
    await workbench.picture("chat-mention");
    await field.press("Enter");
    assert.equal(await field.inputValue(), "look at @src/upload.rs ");
    await field.press("Enter");
    await chat.locator(".rows").getByText("Read.").waitFor();
    await chat.locator(".prompt .chip", { hasText: "upload.rs" }).waitFor();
    await chat.locator(".prompt").hover();
    await chat.getByRole("button", { name: "What was sent" }).click();
    await workbench.page.locator(".tab.active", { hasText: "turn 1" }).waitFor();
    await workbench.editor.getByText("fn upload", { exact: false }).first().waitFor();
    await workbench.picture("chat-what-was-sent");
  },
);
