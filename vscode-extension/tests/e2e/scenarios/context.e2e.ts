import assert from "node:assert/strict";
import { says } from "../model";
import { scene } from "../scenario";

const CHOSEN = {
  asks: "answer without looking at what is in front",
  files: { "context/private.md": "# Private\n", "context/another.md": "# Another\n" },
  replies: [says("Not seen."), says("Still not seen.")],
};

scene("what was switched off stays off, and what was attached stays there, when the view was hidden and when the page was loaded anew", CHOSEN, async (workbench) => {
  const { page } = workbench;
  const chat = workbench.chat();
  const chip = (text: string | RegExp) => chat.locator(".composer .chip", { hasText: text });
  await workbench.openFile("another.md", "context/another.md");
  await workbench.openFile("private.md", "context/private.md");
  await workbench.openChat();
  await chip("private.md").click();
  await chip("1 open file").click();
  await workbench.composer.evaluate((field) => {
    const data = new DataTransfer();
    data.items.add(new File(["<svg xmlns='http://www.w3.org/2000/svg'/>"], "plan.svg", { type: "image/svg+xml" }));
    field.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
  });
  await chip("plan.svg").waitFor();
  const isKept = async (): Promise<void> => {
    await chip("plan.svg").waitFor();
    await chat.locator(".composer .chip[aria-pressed=false]", { hasText: "private.md" }).waitFor();
    await chat.locator(".composer .chip[aria-pressed=false]", { hasText: "1 open file" }).waitFor();
  };
  await workbench.picture("context-chosen");

  await workbench.run("View: Hide Secondary Side Bar");
  await page.locator(".part.auxiliarybar").waitFor({ state: "hidden" });
  await workbench.openChat();
  await isKept();
  await page.reload();
  await page.locator(".monaco-workbench").waitFor();
  // Which tabs come back is up to the workbench, which keeps them when it finds the time.
  await chip("plan.svg").waitFor();
  await workbench.run("View: Close All Editors");
  await workbench.openFile("another.md", "context/another.md");
  await workbench.openFile("private.md", "context/private.md");
  await isKept();
  await workbench.picture("context-reloaded");

  await workbench.ask(CHOSEN.asks);
  await workbench.said("Not seen.");
  await workbench.quietChat();
  const asked = workbench.model?.requests(CHOSEN.asks)[0] ?? "";
  assert.ok(asked.includes("plan.svg"), "what was attached was sent");
  // The folder's files are listed to the model in any case; what the editor shows is not.
  assert.doesNotMatch(asked, /activeFile|otherOpenFiles/);
  await chip("plan.svg").waitFor({ state: "detached" });

  // Who takes the prompt back has it whole: the server has what was attached, and this page never had it.
  await page.reload();
  await workbench.said("Not seen.");
  await chat.locator(".prompt").first().hover();
  await chat.getByRole("button", { name: "Go back to before this prompt and edit it" }).first().click();
  await chip("plan.svg").waitFor();
  assert.equal(await workbench.composer.inputValue(), CHOSEN.asks);
  await workbench.composer.press("Enter");
  await workbench.said("Still not seen.");
  await workbench.quietChat();
  const image = /"inlineData":\{[^}]*\}/.exec(asked)?.[0] ?? "nothing";
  const again = workbench.model?.requests(CHOSEN.asks).at(-1) ?? "";
  assert.ok(again.includes(image), "it went with the prompt once more");
  await workbench.run("View: Close All Editors");
  await workbench.openFile("another.md", "context/another.md");
  await workbench.openFile("private.md", "context/private.md");
  await chip("private.md").click();
  await chip("1 open file").click();
  await chat.locator(".composer .chip[aria-pressed=true]", { hasText: "private.md" }).waitFor();
});
