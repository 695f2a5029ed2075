// A real VS Code workbench in a headless browser, with a home of its own and the packed extension in it.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import type { Browser, FrameLocator, Locator, Page } from "playwright-core";
import { startBrowser, startCodeServer, write } from "./codeServer";
import { Door } from "./door";
import { ScriptedModel, type Reply } from "./model";
import { end, PATIENCE_MS, processesOf, required } from "./processes";

export const THEMES = {
  dark: { id: "Default Dark Modern", label: "Dark Modern", base: ".vs-dark" },
  light: { id: "Default Light Modern", label: "Light Modern", base: ".vs" },
  highContrast: { id: "Default High Contrast", label: "Dark High Contrast", base: ".hc-black" },
} as const;

export interface Setup {
  files: Record<string, string>;
  /** The demo model answers if nothing is scripted. */
  replies?: Reply[];
  settings?: Record<string, unknown>;
  /** What counts for the machine alone. */
  machine?: Record<string, unknown>;
  trust?: "all" | "ask";
  /** Where the server's program comes from: a setting names it, or it lies in the package. Or there is no extension. */
  program?: "chosen" | "packed" | "none";
}

/** How often a key is pressed before it is waited for in earnest. */
const PRESSES = 5;

/** What the workbench says by itself, without us: each was traced to its own code. */
const NOT_OURS = [
  // code-server comes without the part that signs for Microsoft's own services.
  /status of 404 .*\/vsda\//,
  // It asks for a login that nobody here has.
  /Timed out waiting for authentication provider 'github'/,
  // An edit for a text that somebody typed into was turned away, as it should be; the server makes it anew.
  /has changed in the meantime/,
  // Its own extension is registered twice when a folder becomes trusted.
  /vscode\.typescript-language-features/,
  // Whoever chooses a theme makes it open its settings under two addresses, which are the same one on the side of the
  // extensions. The whole news in which they come is lost there, and what else was in it is unknown until the page is loaded anew.
  /data\/User\/settings\.json already exists!/,
  // On a busy machine: extensions are asked before every save, whether one listens or not. Ours does not.
  /Aborted onWillSaveTextDocument-event after \d+ms/,
  // What it was still waiting for when the page is loaded anew.
  /Canceled: Canceled[\s\S]*onBeforeUnload/,
  /Unable to read file '[^']*\.vscode\/[a-z]+\.json' \(Canceled: Canceled\)/,
  /IndexedDB database 'vscode-web-db' is closed/,
  /\[lifecycle\] Long running operations during shutdown/,
];

/** Follows the loss of the settings, see above; without that it would be ours to explain. */
const UNKNOWN_DOCUMENT = /ERR .*Error: unknown document$/;

export class Workbench {
  readonly errors: string[] = [];
  /** Addresses outside this machine that something on the page wanted. None of them was asked. */
  readonly strayRequests: string[] = [];
  readonly #doors: Door[] = [];
  readonly #opened: string[] = [];

  private constructor(
    readonly page: Page,
    readonly folder: string,
    readonly model: ScriptedModel | undefined,
    private readonly place: string,
    private readonly environment: Record<string, string>,
    private readonly browser: Browser,
    private readonly server: ChildProcessWithoutNullStreams,
  ) {}

  static async open(setup: Setup): Promise<Workbench> {
    // Sockets lie in there, whose paths must be short.
    const place = mkdtempSync(join(tmpdir(), "px-"));
    const folder = join(place, "project");
    for (const [name, text] of Object.entries(setup.files)) write(join(folder, name), text);
    mkdirSync(join(place, "tmp"));
    const model = setup.replies === undefined ? undefined : await ScriptedModel.start(place, setup.replies);
    const environment = {
      PATH: process.env["PATH"] ?? "",
      HOME: join(place, "home"),
      TMPDIR: join(place, "tmp"),
      LANG: "C.UTF-8",
      POLLUX_RUNTIME_DIR: join(place, "run"),
      ...(model?.environment ?? {}),
    };
    const program = setup.program ?? "chosen";
    const { child: server, port } = await startCodeServer({
      place,
      folder,
      environment,
      settings: { "workbench.colorTheme": THEMES.dark.id, ...setup.settings },
      machine: { ...(program === "chosen" ? { "pollux.server.path": required("POLLUX_BINARY") } : {}), ...setup.machine },
      trust: setup.trust ?? "all",
      ...packageOf(program),
    });
    const browser = await startBrowser(place);
    const page = await browser.newPage({ viewport: { width: 1360, height: 850 } });
    page.setDefaultTimeout(PATIENCE_MS);
    const workbench = new Workbench(page, folder, model, place, environment, browser, server);
    workbench.#listen();
    await workbench.#fence();
    await page.goto(`http://127.0.0.1:${port}/?folder=${folder}`);
    await page.locator(".monaco-workbench").waitFor();
    if (program !== "none") await workbench.status("Pollux").waitFor();
    return workbench;
  }

  status(text: string | RegExp): Locator {
    return this.page.locator(".statusbar-item", { hasText: text });
  }

  /** The lines of a lens, above a hunk. */
  lens(text: string): Locator {
    return this.page.locator(".codelens-decoration a", { hasText: text });
  }

  get editor(): Locator {
    return this.page.locator(".editor-group-container.active .monaco-editor[role=code]").first();
  }

  chat(): FrameLocator {
    // The extension has no other frame. What it is for is not in the address of one that was hidden and comes back.
    const outer = this.page.frameLocator('iframe.webview.ready[src*="extensionId=pollux.pollux"]');
    return outer.frameLocator("iframe#active-frame");
  }

  async run(command: string): Promise<void> {
    await this.runAsking(command);
    await this.page.locator(".quick-input-widget").waitFor({ state: "hidden" });
  }

  /** A command that asks something in the place of the palette. */
  async runAsking(command: string): Promise<void> {
    // What fits best by the workbench's reckoning need not be the one that is called so.
    await this.#choose("F1", `>${command}`, command);
  }

  /** A key that comes while the workbench moves its focus is lost, or the list closes again: a person presses it once more. */
  async #choose(key: string, text: string, wanted: string): Promise<void> {
    const input = this.page.locator(".quick-input-widget input[type=text]");
    const row = this.page.locator(".quick-input-list .monaco-list-row", { hasText: wanted }).first();
    for (let press = 1; ; press += 1) {
      const timeout = press < PRESSES ? 5_000 : PATIENCE_MS;
      await this.page.keyboard.press(key);
      try {
        await input.fill(text, { timeout });
        await row.click({ timeout });
        return;
      } catch (error) {
        if (press === PRESSES) throw error;
        // A list that is open does not learn of commands that have become possible since; the next one does.
        if (await input.isVisible()) await this.page.keyboard.press("Escape");
      }
    }
  }

  /** By its name, as a person does; the path says which file that is. */
  async openFile(name: string, path = name): Promise<void> {
    await this.#choose("Control+P", name, name);
    await this.page.locator(".tab.active", { hasText: name }).waitFor();
    // A large file takes the focus late, and would take it from whatever comes next.
    await this.page.locator(".editor-group-container.active .monaco-editor.focused").first().waitFor();
    this.#opened.push(path);
  }

  /** The chat's field for the prompt. */
  get composer(): Locator {
    return this.chat().getByRole("textbox", { name: "Prompt" });
  }

  async openChat(): Promise<FrameLocator> {
    await this.run("Pollux: Open Chat");
    await this.composer.waitFor();
    return this.chat();
  }

  /** Asks in the chat, as a person does. */
  async ask(prompt: string): Promise<void> {
    await this.composer.fill(prompt);
    await this.composer.press("Enter");
  }

  /** Until these words stand in the conversation. */
  async said(words: string): Promise<void> {
    await this.chat().locator(".rows").getByText(words).waitFor();
  }

  async chooseMode(name: string): Promise<void> {
    const option = this.chat().getByRole("option", { name });
    // A list closes when something else takes the focus, as a large file does late; a person opens it again.
    for (let press = 1; ; press += 1) {
      await this.chat().getByRole("button", { name: /^Mode: / }).click();
      try {
        await option.click({ timeout: press < PRESSES ? 3_000 : PATIENCE_MS });
        break;
      } catch (error) {
        if (press === PRESSES) throw error;
      }
    }
    await this.chat().getByRole("button", { name: `Mode: ${name}` }).waitFor();
  }

  /** Until the turn is over. */
  async quietChat(): Promise<void> {
    await this.chat().locator(".activity").waitFor({ state: "detached" });
  }

  /** As if nothing had been done in it: no file open, nothing to review, and a new session. */
  async clear(): Promise<void> {
    for (const door of this.#doors.splice(0)) await door.close();
    this.#opened.length = 0;
    // A scene that failed may have left the window believing that nobody looks at it.
    await this.page.evaluate(() => {
      Reflect.deleteProperty(document, "hasFocus");
      document.dispatchEvent(new Event("visibilitychange"));
    });
    await this.page.keyboard.press("Escape");
    const busy = this.page.locator(".statusbar-item:is([aria-label='Pollux waits for an answer'], [aria-label='Pollux is working'])");
    if ((await busy.count()) > 0) await this.run("Pollux: Stop the Running Turn");
    const door = await this.door();
    // Nothing to keep is as well.
    await door.execute("pollux.all.keep").catch(() => undefined);
    // A conflict cannot be kept; to reject it leaves the text as it is.
    await door.execute("pollux.all.reject").catch(() => undefined);
    await this.status(/to (review|answer)/).waitFor({ state: "detached" });
    await this.#closeEditors();
    await this.run("Pollux: New Session");
    await this.chat().getByText("Ask about the code, or say what to change.").waitFor();
    // The field takes the focus late, and would take it from whatever comes next.
    const focused = this.chat().locator(".composer textarea:focus");
    // Where it does not come, a person presses into the field.
    await focused.waitFor({ timeout: 10_000 }).catch(() => this.composer.click());
    await focused.waitFor();
    await this.composer.fill("");
  }

  /** What a scene has left unsaved is its own failure, and must not become that of all that follow. */
  async #closeEditors(): Promise<void> {
    await this.run("View: Close All Editors");
    const doubt = this.page.locator(".monaco-dialog-box", { hasText: "save" });
    await doubt.or(this.page.locator(".editor-group-container.empty")).first().waitFor();
    while (await doubt.isVisible()) {
      await doubt.getByRole("button", { name: "Don't Save" }).click();
      await doubt.waitFor({ state: "hidden" });
    }
  }

  /** What the agent has changed and a person has kept does not stay unsaved. */
  async allSaved(): Promise<void> {
    const unsaved = this.page.locator(".tab.dirty");
    const deadline = Date.now() + PATIENCE_MS;
    while ((await unsaved.count()) > 0) {
      if (Date.now() > deadline) assert.deepEqual(await unsaved.allTextContents(), [], "all is saved");
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** What a person would have to answer before anything else. */
  async inTheWay(): Promise<string[]> {
    return this.page.locator(".monaco-dialog-box, .notification-toast").allInnerTexts();
  }

  /** As a person chooses it. */
  async wear(theme: keyof typeof THEMES): Promise<void> {
    const { label, base } = THEMES[theme];
    await this.runAsking("Preferences: Color Theme");
    await this.page.locator(".quick-input-widget").getByPlaceholder("Select Color Theme").fill(label);
    await this.page.locator(".quick-input-list .monaco-list-row", { hasText: label }).first().click();
    await this.page.locator(".quick-input-widget").waitFor({ state: "hidden" });
    await this.page.locator(`.monaco-workbench${base}`).waitFor();
  }

  /** Processes of the server that belong to this workbench. */
  processes(command: "host" | "lsp"): number[] {
    const doors = this.#doors.map((door) => door.pid);
    return processesOf(command, this.place).filter((process) => !doors.includes(process));
  }

  /** Where the processes of this workbench begin. */
  get roots(): { server: number; place: string } {
    return { server: this.server.pid ?? 0, place: this.place };
  }

  /** How long the extension took to become active, in milliseconds, as the workbench measured it. */
  async activation(): Promise<number> {
    await this.run("Developer: Show Running Extensions");
    const row = this.page.locator(".runtime-extensions-editor .extension", { hasText: "Pollux" });
    const text = await row.locator(".activation-time").textContent();
    return Number(/(\d+)\s?ms/.exec(text ?? "")?.[1] ?? Number.NaN);
  }

  text(name: string): string {
    return readFileSync(join(this.folder, name), "utf8");
  }

  /** Waits until a file has this text on the disk; what it has instead is the error. */
  async saved(name: string, text: string): Promise<void> {
    const now = (): string => (existsSync(join(this.folder, name)) ? this.text(name) : "");
    await this.until(() => now() === text).catch(() => undefined);
    // Of a large text nobody wants to see all in an error.
    if (text.length > 100_000) assert.ok(now() === text, `${name} has another text on the disk`);
    else assert.equal(now(), text);
  }

  async gone(name: string): Promise<void> {
    await this.until(() => !existsSync(join(this.folder, name)), `${name} is still there`);
  }

  /** Waits until other processes of the server have taken the place of these. */
  async replaced(command: "host" | "lsp", old: readonly number[]): Promise<void> {
    const isNew = (): boolean => this.processes(command).some((process) => !old.includes(process));
    await this.until(isNew, `no new ${command} was started`);
  }

  /** For what lies outside the page, where nothing says that it has happened. */
  async until(isSo: () => boolean, otherwise = "it did not come to pass"): Promise<void> {
    const deadline = Date.now() + PATIENCE_MS;
    while (!isSo()) {
      if (Date.now() > deadline) throw new Error(otherwise);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** Measures the window's frames from now on; the answer is the longest, in milliseconds. */
  async watchFrames(): Promise<() => Promise<number>> {
    const longest = await this.page.evaluateHandle(() => {
      const seen = { longest: 0, last: performance.now() };
      const look = (now: number): void => {
        seen.longest = Math.max(seen.longest, now - seen.last);
        seen.last = now;
        requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
      return seen;
    });
    return async () => (await longest.jsonValue()).longest;
  }

  /** Another window on the same server. */
  async door(): Promise<Door> {
    const door = await Door.open(this.folder, this.environment);
    this.#doors.push(door);
    // A tab is there before the server has heard of it, and edits before that are another story.
    for (const name of this.#opened) await door.seesOpen(`file://${this.folder}/${name}`);
    return door;
  }

  /** Kept as a picture of what a person sees. */
  async picture(name: string): Promise<void> {
    const folder = process.env["POLLUX_PICTURES"];
    if (folder === undefined) return;
    mkdirSync(folder, { recursive: true });
    await this.page.screenshot({ path: join(folder, `${name}.png`) });
  }

  /** What the extension has written to its log. */
  get log(): string {
    const folder = join(this.place, "data/logs");
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith("Pollux.log"));
    return files.map((file) => readFileSync(join(folder, file), "utf8")).join("\n");
  }

  async close(): Promise<void> {
    for (const door of this.#doors) await door.close();
    await this.browser.close();
    await end(this.server);
    // It goes a little later than its doors, and a folder that it still writes to cannot be removed.
    for (const host of this.processes("host")) process.kill(host, "SIGKILL");
    await this.until(() => this.processes("host").length === 0, "the host is still there");
    await this.model?.close();
    rmSync(this.place, { recursive: true, force: true, maxRetries: 5 });
  }

  /** Nothing on the page may reach beyond this machine. */
  async #fence(): Promise<void> {
    await this.page.route(
      (url) => /^(https?|wss?):$/.test(url.protocol) && !isLocal(url.hostname),
      (route) => {
        this.strayRequests.push(route.request().url());
        return route.abort();
      },
    );
  }

  #listen(): void {
    let lostSettings = false;
    const note = (text: string): void => {
      lostSettings ||= text.includes("settings.json already exists!");
      if (lostSettings && UNKNOWN_DOCUMENT.test(text)) return;
      if (!NOT_OURS.some((pattern) => pattern.test(text))) this.errors.push(text);
    };
    this.page.on("console", (message) => {
      if (message.type() !== "error") return;
      // A resource that is not there is told without its name.
      const isResource = message.text().startsWith("Failed to load resource");
      note(isResource ? `${message.text()} ${message.location().url}` : message.text());
    });
    this.page.on("pageerror", (error) => note(error.message));
    this.page.on("load", () => (lostSettings = false));
  }
}

function packageOf(program: "chosen" | "packed" | "none"): { package?: string } {
  if (program === "none") return {};
  return { package: required(program === "packed" ? "POLLUX_VSIX_WITH_PROGRAM" : "POLLUX_VSIX") };
}

/** A webview's files have an address of this kind; the workbench itself answers for it. */
function isLocal(host: string): boolean {
  return host === "127.0.0.1" || host === "localhost" || host.endsWith(".vscode-resource.vscode-cdn.net");
}
