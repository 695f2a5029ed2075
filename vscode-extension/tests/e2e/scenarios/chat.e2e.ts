import assert from "node:assert/strict";
import { says } from "../model";
import { scene } from "../scenario";

const TALK = {
  asks: "say a word and do a thing",
  files: { "chat/kept.ts": "export const kept = 1;\n" },
  replies: [
    {
      steps: [
        { thought: "**Looking first**\nThere is one file." },
        { text: "Let me look **first**." },
        { call: { name: "read_file", args: { file_path: "chat/kept.ts" } } },
        { finish: { reason: "STOP" } },
      ],
    },
    {
      steps: [
        { call: { name: "run_shell_command", args: { command: "touch chat/made.txt", description: "Makes a file" } } },
        { finish: { reason: "STOP" } },
      ],
    },
    {
      steps: [
        { call: { name: "write_file", args: { file_path: "chat/kept.ts", content: "export const kept = 2;\n" } } },
        { finish: { reason: "STOP" } },
      ],
    },
    says("It is *made*:\n\n| file | state |\n|---|---|\n| kept.ts | changed |\n\n```ts\nexport const kept = 2;\n```\n\nThat is all."),
    says("The second answer."),
  ],
};

scene("a conversation is the same after a reload of the page, and after it was opened from the list", TALK, async (workbench) => {
  const chat = workbench.chat();
  const rows = chat.locator(".rows");
  await workbench.openFile("kept.ts", "chat/kept.ts");
  await workbench.openChat();
  await workbench.ask(TALK.asks);
  const question = chat.locator(".question[data-armed=true]");
  await question.filter({ hasText: "touch chat/made.txt" }).waitFor();
  await question.press("Enter");
  await question.filter({ hasText: "kept.ts" }).waitFor();
  await workbench.picture("chat-edit-proposed");
  await question.press("Enter");
  await rows.getByText("That is all.").waitFor();
  await workbench.quietChat();
  await workbench.ask("and once more");
  await rows.getByText("The second answer.").waitFor();
  await workbench.quietChat();
  const before = await rows.innerText();
  await workbench.picture("chat-answered");

  await workbench.page.reload();
  await workbench.page.locator(".monaco-workbench").waitFor();
  await rows.getByText("The second answer.").waitFor();
  await workbench.quietChat();
  assert.equal(await rows.innerText(), before);
  assert.equal(await chat.locator(".question").count(), 0, "what was answered is not asked again");
  await workbench.status(/to answer/).waitFor({ state: "detached" });
  assert.equal(await workbench.page.locator(".notification-toast").count(), 0, "what was said before is no news");
  await workbench.picture("chat-reloaded");

  await workbench.run("Pollux: New Session");
  await chat.getByText("Ask about the code, or say what to change.").waitFor();
  await workbench.run("Pollux: Sessions");
  const entry = chat.locator(".session-entry", { hasText: TALK.asks });
  await entry.waitFor();
  await workbench.picture("chat-sessions");
  await entry.getByRole("button").first().click();
  await rows.getByText("The second answer.").waitFor();
  assert.equal(await rows.innerText(), before);
});

const MENTION = {
  asks: "look at the one that is mentioned",
  files: { "sent/mentioned.rs": "fn mentioned() {}\n", "sent/beside.md": "# Beside\n" },
  replies: [says("Read.")],
};

scene("commands, files and what was sent are there for the asking", MENTION, async (workbench) => {
  await workbench.openFile("beside.md", "sent/beside.md");
  await workbench.openChat();
  const chat = workbench.chat();
  const field = workbench.composer;
  await field.click();
  await field.pressSequentially("/he");
  await chat.locator(".menu-item", { hasText: "/help" }).first().waitFor();
  await workbench.picture("chat-commands");
  await field.fill("");
  await field.pressSequentially(`${MENTION.asks} @mentione`);
  await chat.locator(".menu-item", { hasText: "mentioned.rs" }).first().waitFor();
  await workbench.picture("chat-mention");
  await field.press("Enter");
  assert.equal(await field.inputValue(), `${MENTION.asks} @sent/mentioned.rs `);
  await field.press("Enter");
  await workbench.said("Read.");
  await chat.locator(".prompt .chip", { hasText: "mentioned.rs" }).waitFor();
  await chat.locator(".prompt").hover();
  await chat.getByRole("button", { name: "What was sent" }).click();
  await workbench.page.locator(".tab.active", { hasText: "turn 1" }).waitFor();
  await workbench.editor.getByText("fn mentioned", { exact: false }).first().waitFor();
  await workbench.picture("chat-what-was-sent");
});

const LISTED = {
  asks: "say something for the list",
  files: {},
  replies: [says("The first for the list."), says("The second for the list.")],
};

scene("sessions are found by words, renamed and deleted, and stay so when the page is loaded anew", LISTED, async (workbench) => {
  const chat = workbench.chat();
  const entry = (text: string) => chat.locator(".session-entry", { hasText: text });
  const search = chat.getByRole("searchbox", { name: "Search sessions" });
  await workbench.ask(`${LISTED.asks}, about pears`);
  await workbench.said("The first for the list.");
  await workbench.quietChat();
  await workbench.run("Pollux: New Session");
  await chat.getByText("Ask about the code, or say what to change.").waitFor();
  await workbench.ask(`${LISTED.asks}, about plums`);
  await workbench.said("The second for the list.");
  await workbench.quietChat();

  await workbench.run("Pollux: Sessions");
  await entry("plums").waitFor();
  await search.fill("list pears");
  await entry("plums").waitFor({ state: "detached" });
  assert.equal(await chat.locator(".session-entry").count(), 1);
  await workbench.picture("sessions-found");
  await entry("pears").hover();
  await entry("pears").getByRole("button", { name: "Rename the session" }).click();
  await chat.locator(".session-entry .field").fill("Marmalade of quinces");
  await chat.locator(".session-entry .field").press("Enter");
  await search.fill("quinces");
  await entry("Marmalade of quinces").waitFor();
  await search.fill("plums");
  await entry("plums").hover();
  await entry("plums").getByRole("button", { name: "Delete the session" }).click();
  await chat.getByRole("button", { name: "Delete", exact: true }).click();
  await chat.getByText("Nothing matches.").waitFor();
  await workbench.picture("sessions-deleted");

  await workbench.page.reload();
  await workbench.page.locator(".monaco-workbench").waitFor();
  await chat.getByText("Ask about the code, or say what to change.").waitFor();
  await workbench.run("Pollux: Sessions");
  await search.fill("list plums");
  await chat.getByText("Nothing matches.").waitFor();
  await search.fill("marmalade");
  await entry("Marmalade of quinces").getByRole("button").first().click();
  await workbench.said("The first for the list.");
  await chat.locator(".header", { hasText: "Marmalade of quinces" }).waitFor();
});
