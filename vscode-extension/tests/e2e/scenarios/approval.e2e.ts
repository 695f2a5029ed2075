import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { runs, says } from "../model";
import { scene } from "../scenario";
import type { Workbench } from "../workbench";

const made = (workbench: Workbench, name: string): boolean => existsSync(join(workbench.folder, name));

const THREE = {
  asks: "make the files for the approvals",
  files: { "approval/readme.md": "# Approvals\n" },
  replies: [
    runs("touch approval/once.txt"),
    runs("touch approval/refused.txt"),
    runs("touch approval/session.txt"),
    runs("touch approval/after.txt"),
    says("All asked."),
  ],
};

scene("a command is allowed once, refused with a reason, and allowed for the session, by keyboard alone", THREE, async (workbench) => {
  const chat = workbench.chat();
  const question = (command: string) => chat.locator(".question[data-armed=true]", { hasText: command });
  await workbench.ask(THREE.asks);
  // The composer is empty and has the focus, so the question takes it.
  await question("approval/once.txt").waitFor();
  await workbench.status("1 to answer").waitFor();
  await workbench.picture("approval");
  await workbench.page.keyboard.press("Enter");

  await question("approval/refused.txt").waitFor();
  assert.ok(made(workbench, "approval/once.txt"));
  await workbench.page.keyboard.press("Escape");
  await chat.getByPlaceholder("Say why").waitFor();
  await workbench.page.keyboard.type("not this file, another one");
  await workbench.picture("approval-reason");
  await workbench.page.keyboard.press("Enter");

  await question("approval/session.txt").waitFor();
  assert.ok(!made(workbench, "approval/refused.txt"), "what was refused did not run");
  assert.match(workbench.model?.requests(THREE.asks).at(-1) ?? "", /not this file, another one/);
  await workbench.page.keyboard.press("s");

  await workbench.said("All asked.");
  await workbench.quietChat();
  assert.ok(made(workbench, "approval/session.txt"));
  assert.ok(made(workbench, "approval/after.txt"), "what is allowed for the session is not asked again");
  await workbench.status(/to answer/).waitFor({ state: "detached" });
  await workbench.picture("approval-answered");
});

const KEPT = {
  asks: "make folders until nobody is asked any more",
  files: { "kept/readme.md": "# Kept\n" },
  replies: [runs("mkdir kept/one"), says("One is made."), runs("mkdir kept/two"), says("Two are made.")],
};

scene("a command that is allowed in the workspace is not asked about in the next session, and the rule was seen before", KEPT, async (workbench) => {
  const chat = workbench.chat();
  await workbench.ask(KEPT.asks);
  const question = chat.locator(".question[data-armed=true]", { hasText: "mkdir kept/one" });
  await question.waitFor();
  assert.match(await question.locator(".allowed").innerText(), /W without asking again: mkdir …/);
  const hint = (await question.getByRole("button", { name: "Workspace" }).getAttribute("title")) ?? "";
  const file = /^Saved in (.*)$/m.exec(hint)?.[1] ?? "";
  await workbench.picture("approval-workspace");
  await workbench.page.keyboard.press("w");
  await workbench.said("One is made.");
  await workbench.quietChat();
  const saved = readFileSync(file.replace(/^~/, join(workbench.roots.place, "home")), "utf8");
  assert.match(saved, /mkdir/, "the rule is in the file that was named");

  await workbench.run("Pollux: New Session");
  await chat.getByText("Ask about the code, or say what to change.").waitFor();
  await workbench.ask(`${KEPT.asks} once more`);
  await workbench.said("Two are made.");
  await workbench.quietChat();
  assert.ok(made(workbench, "kept/two"));
  assert.equal(await chat.locator(".question, .answered").count(), 0, "nobody was asked");
});

const WEAR = {
  asks: "ask something that can be looked at in another theme",
  files: { "wear/worn.rs": "fn one() {}\n\nfn two() {}\n" },
  replies: [
    {
      steps: [
        { call: { name: "write_file", args: { file_path: "wear/worn.rs", content: "fn one() -> u32 { 1 }\n\nfn two() {}\nfn three() {}\n" } } },
        { finish: { reason: "STOP" } },
      ],
    },
    runs("cargo build --release && rm -rf wear/target"),
    says("Looked at."),
  ],
};

scene("a question and hunks can be read in every theme, and the theme can change while they wait", WEAR, async (workbench) => {
  const chat = workbench.chat();
  await workbench.openFile("worn.rs", "wear/worn.rs");
  await workbench.openChat();
  await workbench.chooseMode("Auto edit");
  await workbench.ask(WEAR.asks);
  const question = chat.locator(".question[data-armed=true]", { hasText: "cargo build" });
  await question.waitFor();
  await workbench.lens("2 of 2").waitFor();
  await workbench.picture("themes-dark");
  for (const theme of ["light", "highContrast", "dark"] as const) {
    await workbench.wear(theme);
    await chat.locator(`body.${{ light: "vscode-light", highContrast: "vscode-high-contrast", dark: "vscode-dark" }[theme]}`).waitFor();
    if (theme !== "dark") await workbench.picture(`themes-${theme}`);
    const framed = await workbench.editor.locator(".view-overlays div").evaluateAll((all) =>
      all.filter((one) => {
        const { outlineStyle, outlineColor } = getComputedStyle(one);
        return outlineStyle === "dashed" && outlineColor !== "rgba(0, 0, 0, 0)";
      }).length,
    );
    assert.equal(framed > 0, theme === "highContrast", "lines are framed where there are no backgrounds, and only there");
  }
  // It is still the same question, and still waits.
  await question.focus();
  await question.press("Escape");
  await chat.getByPlaceholder("Say why").press("Enter");
  await chat.locator(".rows").getByText(/Rejected: cargo build/).waitFor();
});
