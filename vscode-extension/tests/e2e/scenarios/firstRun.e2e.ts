import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { scenario } from "../scenario";
import type { Workbench } from "../workbench";

/** The project that the walkthrough offers. */
const SAMPLE = Object.fromEntries(
  readdirSync("dist/sample", { recursive: true, encoding: "utf8" })
    .filter((name) => statSync(join("dist/sample", name)).isFile())
    .map((name) => [name, readFileSync(join("dist/sample", name), "utf8")]),
);

scenario("the first run shows the view, the state and no error, in every theme, and the walkthrough ends in a hunk that is kept", { files: SAMPLE }, async (workbench) => {
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
  await workbench.wear("dark");
  await walkThrough(workbench);
});

/** As somebody does who has just installed it, with nothing but the buttons of the steps. */
async function walkThrough(workbench: Workbench): Promise<void> {
  const { page } = workbench;
  const chat = workbench.chat();
  await workbench.run("Pollux: Get Started");
  const steps = page.locator(".getting-started-step");
  await steps.first().waitFor();
  assert.ok((await steps.count()) <= 6, "six steps at most");
  const step = (title: string) => steps.filter({ hasText: title });
  // A step that is done may open the next one by itself, in the moment in which it is pressed.
  const press = async (title: string, button: string): Promise<void> => {
    const wanted = step(title).getByRole("button", { name: button });
    for (let attempt = 1; !(await wanted.isVisible()); attempt += 1) {
      await step(title).click();
      await wanted.waitFor(attempt < 3 ? { timeout: 3_000 } : {}).catch((error: unknown) => {
        if (attempt === 3) throw error;
      });
    }
    await wanted.click();
  };
  await workbench.picture("walkthrough");
  await press("Ask for something", "Open Chat");
  await workbench.ask("fix the upload program");
  await chat.locator(".question[data-armed=true]", { hasText: "retry.rs" }).waitFor();
  await workbench.picture("walkthrough-asked");
  const before = workbench.text("src/retry.rs");
  // Its first proposal has two hunks; what is kept is written once both are decided.
  for (const left of [2, 1]) {
    await press("Go to the first change", "Go to Next Hunk");
    await page.locator(".tab.active", { hasText: "retry.rs" }).waitFor();
    await workbench.lens(`of ${left}`).first().waitFor();
    await workbench.picture(`walkthrough-change-${left}`);
    await page.locator(".tab", { hasText: "Welcome" }).click();
    await press("Keep it, or reject it", "Keep Hunk");
  }
  await workbench.until(() => workbench.text("src/retry.rs") !== before, "the hunks that were kept are not in the file");
  await steps.locator(".codicon-getting-started-step-checked.complete").nth((await steps.count()) - 1).waitFor();
  await workbench.picture("walkthrough-done");
  await workbench.run("Pollux: Stop the Running Turn");
}
