// What a person adds to a prompt from the editor: a file to name, what a terminal shows, or what git has changed.
import * as vscode from "vscode";
import type { Attachment } from "./messages";

/** The server takes no more of a text. */
const LONGEST = 190_000;

/** The part of the git extension's interface that is needed here. */
interface GitExtension {
  getAPI(version: 1): { repositories: { rootUri: vscode.Uri; diff(cached?: boolean): Promise<string> }[] };
}

export async function pickFile(): Promise<vscode.Uri | undefined> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const picked = await vscode.window.showOpenDialog({
    canSelectFiles: true,
    canSelectFolders: true,
    canSelectMany: false,
    ...(folder ? { defaultUri: folder } : {}),
  });
  return picked?.[0];
}

export async function terminalText(): Promise<Attachment> {
  const terminal = vscode.window.activeTerminal;
  if (!terminal) throw new Error(vscode.l10n.t("No terminal is open."));
  // A terminal gives its text by the clipboard only, so what was there is put back.
  const before = await vscode.env.clipboard.readText();
  try {
    await vscode.commands.executeCommand("workbench.action.terminal.selectAll");
    await vscode.commands.executeCommand("workbench.action.terminal.copySelection");
    await vscode.commands.executeCommand("workbench.action.terminal.clearSelection");
    const text = (await vscode.env.clipboard.readText()).trimEnd();
    return { kind: "text", label: vscode.l10n.t("terminal {0}", terminal.name), text: text.slice(-LONGEST) };
  } finally {
    await vscode.env.clipboard.writeText(before);
  }
}

export async function gitChanges(): Promise<Attachment> {
  const extension = vscode.extensions.getExtension<GitExtension>("vscode.git");
  const git = await extension?.activate();
  const parts = await Promise.all((git?.getAPI(1).repositories ?? []).map(async (repository) => [await repository.diff(true), await repository.diff(false)].join("")));
  const text = parts.join("\n").trim();
  if (text === "") throw new Error(vscode.l10n.t("Git has no changes to show."));
  const label = text.length > LONGEST ? vscode.l10n.t("git changes, the first part") : vscode.l10n.t("git changes");
  return { kind: "text", label, text: text.slice(0, LONGEST) };
}
