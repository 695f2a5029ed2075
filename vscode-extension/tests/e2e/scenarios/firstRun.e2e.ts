import assert from "node:assert/strict";
import { scenario } from "../scenario";

scenario("the first run shows the view, the state and no error, in every theme", { files: { "README.md": "# Project\n" } }, async (workbench) => {
  await workbench.run("Pollux: Open Chat");
  const chat = workbench.chat();
  await chat.getByText("Ask about the code, or say what to change.").waitFor();
  await chat.getByText("The demo model answers here").waitFor();
  await workbench.page.locator('.statusbar-item[aria-label="Pollux: ready"]').waitFor();
  await workbench.picture("first-run");
  assert.equal(await workbench.page.locator(".notification-toast").count(), 0);
  assert.equal(await chat.locator(".problem").count(), 0);

  const background = (): Promise<string> => chat.locator("body").evaluate((body) => getComputedStyle(body).getPropertyValue("--vscode-sideBar-background"));
  const seen = new Set([await background()]);
  for (const [theme, mark] of [["light", "vscode-light"], ["highContrast", "vscode-high-contrast"]] as const) {
    await workbench.wear(theme);
    await chat.locator(`body.${mark}`).waitFor();
    await workbench.picture(`first-run-${theme}`);
    seen.add(await background());
  }
  assert.equal(seen.size, 3, "the view follows the theme without being opened anew");
});
