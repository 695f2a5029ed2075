// Says that somebody is needed, once per question, and only to a person who looks elsewhere.
import * as vscode from "vscode";
import type { SessionEvent } from "../protocol";
import type { Server } from "../server/server";

/** Where a person is led who wants to see it. */
export interface Chat {
  showSession(session: string, look: "composer" | "approval"): Promise<void>;
}

export class Attention implements vscode.Disposable {
  readonly #owned: vscode.Disposable;

  constructor(
    server: Server,
    private readonly chat: Chat,
  ) {
    this.#owned = server.on("pollux/sessionEvents", ({ session, past, events }) => {
      // What is only said again is no news.
      if (past) return;
      for (const event of events) void this.#tell(session, event);
    });
  }

  dispose(): void {
    this.#owned.dispose();
  }

  async #tell(session: string, event: SessionEvent): Promise<void> {
    if (vscode.window.state.focused) return;
    const settings = vscode.workspace.getConfiguration("pollux");
    if (!settings.get<boolean>("notifications.enabled", true)) return;
    const message = sentence(event);
    if (message === undefined) return;
    const show = vscode.l10n.t("Show");
    const never = vscode.l10n.t("Don't Show Again");
    const chosen = await vscode.window.showInformationMessage(message, show, never);
    if (chosen === show) await this.chat.showSession(session, event.kind === "turnEnded" ? "composer" : "approval");
    if (chosen === never) await settings.update("notifications.enabled", false, vscode.ConfigurationTarget.Global);
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
