import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { says } from "../model";
import { scene } from "../scenario";

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const ATTACH = {
  asks: "look at everything that I have added",
  files: { "attach/shelf.ts": "export function marmaladeShelf() {\n  return 1;\n}\n", "attach/other.md": "# Other\n" },
  replies: [says("All seen.\n\n```ts\nconst fromTheChat = 1;\n```\n\nInsert it.")],
};

scene("a terminal, git changes, an image, a file and a symbol go with a prompt, and code comes back into the file", ATTACH, async (workbench) => {
  const { page } = workbench;
  const chat = workbench.chat();
  const chip = (text: string | RegExp) => chat.locator(".composer .chip", { hasText: text });
  const add = async (what: string): Promise<void> => {
    await workbench.composer.click();
    await chat.locator(".composer textarea:focus").waitFor();
    await chat.getByRole("button", { name: "Add context" }).click();
    await chat.getByRole("option", { name: what }).click();
  };
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const folder = join(workbench.folder, "attach");
  const git = (...words: string[]) => execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", ...words], { cwd: folder, stdio: "ignore" });
  git("init");
  git("add", ".");
  git("commit", "-m", "first");
  writeFileSync(join(folder, "other.md"), "# Another one\n");
  await workbench.openFile("shelf.ts", "attach/shelf.ts");

  await workbench.run("Terminal: Create New Terminal");
  await page.locator(".terminal-wrapper.active .xterm-screen").waitFor();
  await page.locator(".terminal-wrapper.active .xterm-helper-textarea").focus();
  await page.keyboard.type("expr 40000 + 2\n");
  await page.locator(".terminal-wrapper.active .xterm-rows", { hasText: "40002" }).waitFor();
  await add("Terminal output");
  await chip(/terminal/i).waitFor();
  // A shell that is left open would outlive the workbench, and write to its home while that is removed.
  await page.locator(".terminal-wrapper.active .xterm-helper-textarea").focus();
  await page.keyboard.type("exit\n");
  await page.locator(".terminal-wrapper").waitFor({ state: "detached" });
  await add("Git changes");
  await chip("git changes").waitFor();

  await workbench.composer.evaluate(
    (field, [pixel, uri]) => {
      const data = new DataTransfer();
      data.items.add(new File([Uint8Array.from(atob(pixel), (letter) => letter.charCodeAt(0))], "dropped.png", { type: "image/png" }));
      data.setData("application/vnd.code.uri-list", uri);
      field.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
    },
    [PIXEL, `file://${folder}/other.md`] as const,
  );
  await chip("dropped.png").waitFor();
  await workbench.composer.press("End");
  await workbench.composer.pressSequentially(`${ATTACH.asks} @marmaladeSh`);
  await chat.locator(".menu-item", { hasText: "marmaladeShelf" }).first().waitFor();
  await workbench.picture("attach-symbols");
  await chat.locator(".menu-item", { hasText: "marmaladeShelf" }).first().click();
  const prompt = await workbench.composer.inputValue();
  assert.match(prompt, /^@attach\/other\.md look at everything/);
  assert.match(prompt, /@attach\/shelf\.ts \(marmaladeShelf\(\), line 1\)/);
  await workbench.picture("attach-all");
  await workbench.composer.press("Enter");
  await workbench.said("Insert it.");
  await workbench.quietChat();
  const asked = workbench.model?.requests(ATTACH.asks)[0] ?? "";
  for (const part of ["40002", "+# Another one", PIXEL, "# Another one", "marmaladeShelf"]) assert.ok(asked.includes(part), `the model was told ${part}`);

  await workbench.editor.click({ position: { x: 300, y: 10 } });
  await page.keyboard.press("Control+End");
  await chat.locator(".code").hover();
  await chat.getByRole("button", { name: "Insert at the cursor" }).click();
  await workbench.editor.getByText("fromTheChat").first().waitFor();
  await workbench.picture("attach-inserted");
  await workbench.editor.click({ position: { x: 300, y: 10 } });
  await page.keyboard.press("Control+s");
  await workbench.saved("attach/shelf.ts", `${ATTACH.files["attach/shelf.ts"]}const fromTheChat = 1;\n`);
});
