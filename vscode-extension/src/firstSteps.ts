// The walkthrough, the settings, and the project to try things on.
import * as vscode from "vscode";

export function registerFirstSteps(context: vscode.ExtensionContext): vscode.Disposable {
  return vscode.Disposable.from(
    vscode.commands.registerCommand("pollux.openWalkthrough", () => openWalkthrough(context)),
    vscode.commands.registerCommand("pollux.openSettings", () => openSettings(context)),
    vscode.commands.registerCommand("pollux.openSample", () => openSample(context)),
  );
}

async function openWalkthrough(context: vscode.ExtensionContext): Promise<void> {
  await vscode.commands.executeCommand("workbench.action.openWalkthrough", `${context.extension.id}#start`, false);
  // A step is done by a change that comes after it is there, so that a folder is open is told only now.
  const hasFolder = (vscode.workspace.workspaceFolders ?? []).length > 0;
  await vscode.commands.executeCommand("setContext", "pollux.hasFolder", hasFolder);
}

async function openSettings(context: vscode.ExtensionContext): Promise<void> {
  await vscode.commands.executeCommand("workbench.action.openSettings", `@ext:${context.extension.id}`);
}

/** A fresh copy each time, beside the older ones: somebody may still have one open. */
async function openSample(context: vscode.ExtensionContext): Promise<void> {
  const name = `upload-${Date.now().toString(36)}`;
  const target = vscode.Uri.joinPath(context.globalStorageUri, "samples", name);
  await vscode.workspace.fs.copy(vscode.Uri.joinPath(context.extensionUri, "dist", "sample"), target);
  await vscode.commands.executeCommand("vscode.openFolder", target, { forceNewWindow: true });
}
