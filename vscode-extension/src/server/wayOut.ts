// A server that cannot run is said once, with what can be done about it.
import * as vscode from "vscode";
import type { Server, ServerState } from "./server";

const MESSAGE_MS = 5000;

export class WayOut implements vscode.Disposable {
  readonly #owned: vscode.Disposable[];

  constructor(
    private readonly server: Server,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.#owned = [
      server.onDidChangeState((state) => void this.#offer(state)),
      vscode.commands.registerCommand("pollux.restartServer", () => server.restart()),
      vscode.commands.registerCommand("pollux.showLog", () => log.show()),
      vscode.commands.registerCommand("pollux.fixServer", () => this.#fix()),
    ];
  }

  dispose(): void {
    for (const owned of this.#owned) owned.dispose();
  }

  async #fix(): Promise<void> {
    const { state } = this.server;
    if (state.kind === "ready") vscode.window.setStatusBarMessage(vscode.l10n.t("Pollux runs."), MESSAGE_MS);
    else if (state.kind === "starting") vscode.window.setStatusBarMessage(vscode.l10n.t("The server is starting."), MESSAGE_MS);
    else await this.#offer(state);
  }

  async #offer(state: ServerState): Promise<void> {
    const choose = vscode.l10n.t("Choose Program…");
    const settings = vscode.l10n.t("Open Settings");
    const restart = vscode.l10n.t("Start Again");
    const openLog = vscode.l10n.t("Show Log");
    let chosen: string | undefined;
    if (state.kind === "missing") {
      const message = vscode.l10n.t("Pollux needs its program `pollux`, and it is neither in the extension nor on the PATH.");
      chosen = await vscode.window.showWarningMessage(message, choose, settings, openLog);
    } else if (state.kind === "stopped") {
      chosen = await vscode.window.showWarningMessage(vscode.l10n.t("Pollux does not run. {0}", state.reason), restart, openLog);
    }
    if (chosen === choose) await chooseProgram();
    if (chosen === settings) await vscode.commands.executeCommand("workbench.action.openSettings", "pollux.server.path");
    if (chosen === restart) await this.server.restart();
    if (chosen === openLog) this.log.show();
  }
}

async function chooseProgram(): Promise<void> {
  const title = vscode.l10n.t("The program `pollux`");
  const files = await vscode.window.showOpenDialog({ canSelectMany: false, title });
  const path = files?.[0]?.fsPath;
  if (path === undefined) return;
  await vscode.workspace.getConfiguration("pollux").update("server.path", path, vscode.ConfigurationTarget.Global);
}
