// Runs the tests of `inside/` in the extension host of a real workbench. A browser page only carries it: nobody
// clicks. What the tests found out is a report in TAP, which they write themselves.
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Page } from "playwright-core";
import { startBrowser, startCodeServer, write } from "../e2e/codeServer";
import { ScriptedModel } from "../e2e/model";
import { end, required } from "../e2e/processes";
import { FILES, REPLIES } from "./script";

/** Longer than all waits of all tests that can go wrong in one run. */
const LONGEST_MS = 480_000;

async function main(): Promise<number> {
  // Sockets lie in there, whose paths must be short.
  const place = mkdtempSync(join(tmpdir(), "ph-"));
  const folder = join(place, "project");
  for (const [name, text] of Object.entries(FILES)) write(join(folder, name), text);
  mkdirSync(join(place, "tmp"));
  const report = required("POLLUX_REPORT");
  writeFileSync(report, "");
  const model = await ScriptedModel.start(place, REPLIES);
  const browser = await startBrowser(place);
  const page = await browser.newPage({ viewport: { width: 1360, height: 850 } });
  const ear = await listenTo(page);
  const recorder = programIn(place, "recorder");
  const environment = {
    PATH: process.env["PATH"] ?? "",
    HOME: join(place, "home"),
    TMPDIR: join(place, "tmp"),
    LANG: "C.UTF-8",
    POLLUX_RUNTIME_DIR: join(place, "run"),
    POLLUX_BINARY: required("POLLUX_BINARY"),
    POLLUX_REPORT: report,
    POLLUX_PLACE: place,
    POLLUX_EAR: `http://127.0.0.1:${(ear.address() as AddressInfo).port}`,
    ...model.environment,
  };
  const { child, port } = await startCodeServer({
    place,
    folder,
    environment,
    settings: {},
    machine: { "pollux.server.path": recorder },
    trust: "all",
    package: required("POLLUX_VSIX"),
    options: smokeTestDriver(),
  });
  try {
    const ended = new Promise<number>((resolve) => void page.exposeFunction("codeAutomationExit", resolve));
    const late = new Promise<number>((resolve) => setTimeout(resolve, LONGEST_MS, 2).unref());
    await page.goto(`http://127.0.0.1:${port}/?folder=${folder}&payload=${encodeURIComponent(payload(place))}`);
    const code = await Promise.race([ended, late]);
    process.stdout.write(readFileSync(report, "utf8"));
    if (code !== 0) process.stdout.write(await remains(page, place));
    return code;
  } finally {
    await browser.close();
    await end(child);
    await model.close();
    ear.close();
    rmSync(place, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Newer ones look at the payload only if they are told that they are tested; older ones do not know the option. */
function smokeTestDriver(): string[] {
  const cli = readFileSync(join(required("POLLUX_WORKBENCH"), "node_modules/code-server/out/node/cli.js"), "utf8");
  return cli.includes("vscode-option") ? ["--vscode-option", "enable-smoke-test-driver"] : [];
}

/** The tested extension is the installed one; the workbench wants one in development all the same. */
function payload(place: string): string {
  const dummy = join(place, "dummy");
  const manifest = { name: "host-tests", publisher: "pollux", version: "0.0.1", engines: { vscode: "^1.100.0" } };
  write(join(dummy, "package.json"), JSON.stringify(manifest));
  return JSON.stringify([
    ["extensionDevelopmentPath", `vscode-remote://remote${dummy}`],
    ["extensionTestsPath", `vscode-remote://remote${resolve("dist/tests/host/inside")}`],
  ]);
}

/** A program of this folder, where the tests may start it. */
function programIn(place: string, name: string): string {
  const program = join(place, name);
  copyFileSync(`dist/tests/host/${name}.js`, program);
  chmodSync(program, 0o755);
  return program;
}

/** What the window tells a person in the status bar and in notifications, and what it shows. The tests ask for it here. */
async function listenTo(page: Page): Promise<Server> {
  const said: string[] = [];
  await page.exposeFunction("heardByTests", (text: string) => said.push(text));
  await page.addInitScript(() => {
    const { heardByTests } = globalThis as unknown as { heardByTests: (text: string) => void };
    const parts = ".statusbar-item, .notification-toast, .monaco-alert";
    const told = new WeakMap<Element, string>();
    const look = (): void => {
      for (const element of document.querySelectorAll(parts)) {
        const text = element.textContent;
        if (told.get(element) === text) continue;
        told.set(element, text);
        if (text !== "") heardByTests(text);
      }
    };
    new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true });
  });
  const windows: string[] = [];
  page.context().on("page", (opened) => {
    windows.push(opened.url());
    void opened.close();
  });
  const answers: Record<string, (question: string) => unknown> = {
    "/said": () => said,
    "/windows": () => windows,
    "/shown": (selector) => page.locator(selector).filter({ visible: true }).count(),
  };
  const server = createServer((request, response) => {
    const [path = "", question = ""] = (request.url ?? "").split("?");
    void Promise.resolve(answers[path]?.(decodeURIComponent(question))).then((answer) => response.end(JSON.stringify(answer)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

/** What helps to understand a failure. */
async function remains(page: Page, place: string): Promise<string> {
  const pictures = process.env["POLLUX_PICTURES"];
  if (pictures !== undefined) {
    mkdirSync(pictures, { recursive: true });
    await page.screenshot({ path: join(pictures, "failed-host.png") });
  }
  const logs = join(place, "data/logs");
  if (!existsSync(logs)) return "there are no logs\n";
  const files = readdirSync(logs, { recursive: true, encoding: "utf8" }).filter((file) => /(Pollux|remoteexthost)\.log$/.test(file));
  return files.map((file) => `--- ${file}\n${readFileSync(join(logs, file), "utf8")}\n`).join("");
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exit(1);
  },
);
