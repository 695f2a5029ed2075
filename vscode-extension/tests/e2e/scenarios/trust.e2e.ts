import assert from "node:assert/strict";
import { says } from "../model";
import { scenario } from "../scenario";

const SETUP = {
  files: {
    "GEMINI.md": "The word of this folder is marmalade.\n",
    "notes.md": "# Notes\n",
    ".vscode/settings.json": JSON.stringify({ "pollux.context.activeFile": "auto" }),
  },
  settings: { "pollux.context.activeFile": "off" },
  replies: [says("Restricted."), says("Trusted.")],
  trust: "ask" as const,
};

scenario("a folder that is not trusted says nothing to the model until it is", SETUP, async (workbench) => {
  const { page } = workbench;
  await page.locator(".statusbar-item", { hasText: "Restricted Mode" }).waitFor();
  await workbench.openFile("notes.md");
  const chat = await workbench.openChat();
  const chip = chat.locator(".composer .chip", { hasText: "notes.md" });
  await chat.getByText("Explain notes.md").waitFor();
  assert.equal(await chip.count(), 0, "the folder's settings do not decide what is sent");
  await workbench.ask("are you there?");
  await workbench.said("Restricted.");
  await workbench.quietChat();
  await workbench.picture("untrusted");
  assert.doesNotMatch(workbench.model?.asked ?? "", /marmalade/);
  assert.match(workbench.model?.asked ?? "", /are you there/);
  assert.doesNotMatch(workbench.model?.asked ?? "", /activeFile/);

  await chat.getByRole("button", { name: /^Mode: / }).click();
  await chat.getByRole("option", { name: "Everything" }).click();
  await workbench.said("The folder is not trusted");
  await chat.getByRole("button", { name: "Mode: Default" }).waitFor();
  await workbench.picture("untrusted-mode-refused");

  await page.locator(".statusbar-item", { hasText: "Restricted Mode" }).click();
  await page.locator(".workspace-trust-editor").getByRole("button", { name: "Trust", exact: true }).click();
  await page.locator(".statusbar-item", { hasText: "Restricted Mode" }).waitFor({ state: "detached" });
  await workbench.run("Pollux: New Session");
  await chat.getByText("Ask about the code, or say what to change.").waitFor();
  await workbench.openFile("notes.md");
  await chip.waitFor();
  await workbench.openChat();
  await workbench.ask("and now?");
  await workbench.said("Trusted.");
  await workbench.quietChat();
  await workbench.picture("trusted");
  assert.match(workbench.model?.asked ?? "", /marmalade/);
});
