// The chat view in a real browser, with the page and the policy that the extension gives it.
import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { chromium, type Browser, type Page } from "playwright-core";
import { chatPage } from "../../src/chat/page";
import type { FromView, ToView } from "../../src/chat/messages";
import { THEMES, type Theme } from "./themes";

const TYPES: Record<string, string> = { ".js": "text/javascript", ".css": "text/css", ".ttf": "font/ttf" };
const SCREENS = path.join("dist", "view");

/** What the page holds for the test. */
interface Recorded {
  posted: FromView[];
  violations: string[];
}

declare global {
  interface Window {
    recorded: Recorded;
  }
}

export class Harness {
  private constructor(
    private readonly server: Server,
    private readonly browser: Browser,
    private readonly address: string,
  ) {}

  static async start(): Promise<Harness> {
    mkdirSync(SCREENS, { recursive: true });
    const server = createServer((request, response) => {
      const name = (request.url ?? "/").slice(1);
      if (name === "") {
        const page = chatPage({ nonce: "abc123", source: "'self'", script: "/webview.js", style: "/webview.css", language: "en" });
        response.setHeader("content-type", "text/html").end(page);
        return;
      }
      readFile(path.join("dist", path.basename(name.split("?")[0] ?? ""))).then(
        (body) => response.setHeader("content-type", TYPES[path.extname(name.split("?")[0] ?? "")] ?? "text/plain").end(body),
        () => response.writeHead(404).end(),
      );
    });
    await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
    const place = server.address();
    if (place === null || typeof place === "string") throw new Error("the server has no port");
    const browser = await chromium.launch({
      executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
      args: ["--no-sandbox", "--disable-gpu", "--enable-precise-memory-info", "--js-flags=--expose-gc"],
    });
    return new Harness(server, browser, `http://127.0.0.1:${place.port}/`);
  }

  async stop(): Promise<void> {
    await this.browser.close();
    this.server.closeAllConnections();
    await new Promise((closed) => this.server.close(closed));
  }

  async open(theme: Theme = "dark", width = 480, height = 900, kept?: { session: string | null; draft: string }): Promise<View> {
    const context = await this.browser.newContext({ viewport: { width, height }, reducedMotion: "reduce" });
    const page = await context.newPage();
    const view = new View(page);
    const { variables, bodyClass } = THEMES[theme];
    await page.addInitScript(
      ([values, name, before]) => {
        window.recorded = { posted: [], violations: [] };
        let state: unknown = before;
        Object.assign(window, {
          acquireVsCodeApi: () => ({
            postMessage: (message: FromView) => window.recorded.posted.push(structuredClone(message)),
            getState: () => state,
            setState: (next: unknown) => (state = next),
          }),
        });
        document.addEventListener("securitypolicyviolation", (event) => window.recorded.violations.push(`${event.violatedDirective} ${event.blockedURI}`));
        document.addEventListener("DOMContentLoaded", () => {
          for (const [key, value] of Object.entries(values)) document.documentElement.style.setProperty(`--vscode-${key}`, value);
          document.body.className = name;
          document.documentElement.style.background = values["sideBar-background"] ?? "";
        });
      },
      [variables, bodyClass, kept] as const,
    );
    await page.goto(this.address);
    await view.say({ kind: "start", strings: {}, folders: ["/home/ada/project"], window: "Visual Studio Code" });
    return view;
  }
}

export class View {
  /** Whatever the page complained about, or wanted from elsewhere. */
  readonly complaints: string[] = [];

  constructor(readonly page: Page) {
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") this.complaints.push(message.text());
    });
    page.on("pageerror", (error) => this.complaints.push(String(error)));
    page.on("dialog", (dialog) => {
      this.complaints.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on("request", (request) => {
      if (!request.url().startsWith("http://127.0.0.1:")) this.complaints.push(`request: ${request.url()}`);
    });
  }

  /** Says something to the view and waits until it is painted. */
  async say(...messages: ToView[]): Promise<void> {
    await this.page.evaluate(async (all) => {
      for (const message of all) window.dispatchEvent(new MessageEvent("message", { data: message }));
      await new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)));
    }, messages);
  }

  posted(): Promise<FromView[]> {
    return this.page.evaluate(() => window.recorded.posted);
  }

  violations(): Promise<string[]> {
    return this.page.evaluate(() => window.recorded.violations);
  }

  async screen(name: string): Promise<void> {
    await this.page.evaluate(() => document.fonts.ready);
    await this.page.screenshot({ path: path.join(SCREENS, `${name}.png`) });
  }

  nodes(): Promise<number> {
    return this.page.evaluate(() => document.querySelectorAll("*").length);
  }
}
