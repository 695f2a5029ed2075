import assert from "node:assert/strict";
import { scenario } from "../scenario";

scenario("the first run shows the view, the state and no error", { files: { "README.md": "# Project\n" } }, async (workbench) => {
  await workbench.run("Pollux: Open Chat");
  await workbench.page.locator('iframe.webview.ready[src*="extensionId=pollux.pollux"]').waitFor();
  await workbench.page.locator('.statusbar-item[aria-label="Pollux: ready"]').waitFor();
  await workbench.picture("first-run");
  assert.equal(await workbench.page.locator(".notification-toast").count(), 0);
});
