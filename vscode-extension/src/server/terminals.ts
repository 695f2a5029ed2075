// Tells the terminals of this window where an agent in them finds the room.
import type * as vscode from "vscode";
import type { Companion } from "../protocol";
import type { Server } from "./server";

/** The variables that gemini-cli looks for. */
function variables(companion: Companion | null | undefined): ReadonlyMap<string, string> {
  if (companion === null || companion === undefined) return new Map();
  return new Map([
    ["GEMINI_CLI_IDE_SERVER_PORT", String(companion.port)],
    ["GEMINI_CLI_IDE_WORKSPACE_PATH", companion.workspacePath],
    ["GEMINI_CLI_IDE_AUTH_TOKEN", companion.authToken],
  ]);
}

type Collection = Pick<vscode.EnvironmentVariableCollection, "clear" | "replace" | "persistent">;

/** Terminals that are opened from now on know; the others find the room by its file. */
export function tellTerminals(server: Server, environment: Collection): vscode.Disposable {
  // A port of yesterday is somebody else's today.
  environment.persistent = false;
  const listening = server.on("pollux/companion", ({ companion }) => {
    environment.clear();
    for (const [name, value] of variables(companion)) environment.replace(name, value);
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
