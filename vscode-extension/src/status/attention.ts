// Says that somebody is needed, once per question, and only to a person who looks elsewhere.
import * as vscode from "vscode";
import type { SessionEvent } from "../protocol";
import type { Server } from "../server/server";

export class Attention implements vscode.Disposable {
  readonly #owned: vscode.Disposable;

  constructor(server: Server) {
    this.#owned = server.on("pollux/sessionEvents", ({ past, events }) => {
      // What is only said again is no news.
      if (past) return;
      for (const event of events) void this.#tell(event);
    });
  }

  dispose(): void {
    this.#owned.dispose();
  }

  async #tell(event: SessionEvent): Promise<void> {
    if (vscode.window.state.focused) return;
    if (!vscode.workspace.getConfiguration("pollux").get<boolean>("notifications.enabled", true)) return;
    const message = sentence(event);
    if (message === undefined) return;
    const show = vscode.l10n.t("Show");
    const chosen = await vscode.window.showInformationMessage(message, show);
    if (chosen === show) await vscode.commands.executeCommand("pollux.focusChat");
  }
}

function sentence(event: SessionEvent): string | undefined {
  switch (event.kind) {
    case "approvalRequested":
      return vscode.l10n.t("Pollux asks: {0}", event.title);
    case "editProposed":
      return vscode.l10n.t("Pollux wants to edit {0}.", event.path);
    case "turnEnded":
      return event.outcome === "completed" ? vscode.l10n.t("Pollux has finished.") : event.message || undefined;
    default:
      return undefined;
  }
}
