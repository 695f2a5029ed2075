import assert from "node:assert/strict";
import { existsSync, readlinkSync } from "node:fs";
import { delimiter, join } from "node:path";
import { scenario } from "../scenario";

const SETUP = { files: { "README.md": "# Project\n" }, program: "packed" as const };

scenario("an installed package needs nothing else: the chat answers with the program that came with it", SETUP, async (workbench) => {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  assert.deepEqual(folders.filter((folder) => existsSync(join(folder, "pollux"))), [], "another one would be found on the PATH");
  await workbench.openChat();
  await workbench.page.locator('.statusbar-item[aria-label="Pollux: ready"]').waitFor();
  await workbench.ask("are you there?");
  await workbench.quietChat();
  await workbench.chat().locator(".row-prose").first().waitFor();
  const programs = new Set([...workbench.processes("lsp"), ...workbench.processes("host")].map((process) => readlinkSync(`/proc/${process}/exe`)));
  assert.equal(programs.size, 1);
  for (const program of programs) assert.match(program, /\/extensions\/pollux\.pollux-[^/]*\/bin\/pollux$/);
  await workbench.picture("packed-program");
});
