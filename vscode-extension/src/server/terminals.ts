// Tells the terminals of this window where an agent in them finds the room.
import { existsSync } from "node:fs";
import type * as vscode from "vscode";
import type { Companion } from "../protocol";
import type { Server } from "./server";

/** The files by which gemini-cli sees that it is in a container, and what tells it that the editor is in there too. */
const MARKS = ["/.dockerenv", "/run/.containerenv"];
const INSIDE = ["SSH_CONNECTION", "REMOTE_CONTAINERS", "VSCODE_REMOTE_CONTAINERS_SESSION"];

/** Whether gemini-cli would look for us outside of the container that it shares with us. */
export function isSilentContainer(exists: (file: string) => boolean, env: Readonly<Record<string, string | undefined>>): boolean {
  return MARKS.some(exists) && INSIDE.every((name) => (env[name] ?? "") === "");
}

/** The variables that gemini-cli looks for. */
function variables(companion: Companion | null | undefined, silentContainer: boolean): ReadonlyMap<string, string> {
  if (companion === null || companion === undefined) return new Map();
  const all = new Map([
    ["GEMINI_CLI_IDE_SERVER_PORT", String(companion.port)],
    ["GEMINI_CLI_IDE_WORKSPACE_PATH", companion.workspacePath],
    ["GEMINI_CLI_IDE_AUTH_TOKEN", companion.authToken],
  ]);
  if (silentContainer) all.set("REMOTE_CONTAINERS", "1");
  return all;
}

type Collection = Pick<vscode.EnvironmentVariableCollection, "clear" | "replace" | "persistent">;

/** Terminals that are opened from now on know; the others find the room by its file. */
export function tellTerminals(
  server: Server,
  environment: Collection,
  silentContainer = isSilentContainer(existsSync, process.env),
): vscode.Disposable {
  // A port of yesterday is somebody else's today.
  environment.persistent = false;
  const listening = server.on("pollux/companion", ({ companion }) => {
    environment.clear();
    for (const [name, value] of variables(companion, silentContainer)) environment.replace(name, value);
  });
  const watching = server.onDidChangeState((state) => {
    if (state.kind !== "ready") environment.clear();
  });
  return {
    dispose: () => {
      listening.dispose();
      watching.dispose();
      environment.clear();
    },
  };
}
