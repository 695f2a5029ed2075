// Where the chat stands: beside the other chats, or in the activity bar where that is not possible.
import * as vscode from "vscode";

/** The first version whose secondary side bar holds views of extensions. */
const FIRST_WITH_SECONDARY: readonly [number, number] = [1, 106];

const SHOWN = "chat.shown";

export function placeChat(context: vscode.ExtensionContext): vscode.Disposable {
  const secondary = hasSecondarySideBar(vscode.version);
  void vscode.commands.executeCommand("setContext", "pollux.noSecondarySideBar", !secondary);
  const view = secondary ? "pollux.chat" : "pollux.chatFallback";
  void showOnce(context, view);
  return vscode.commands.registerCommand("pollux.focusChat", () => vscode.commands.executeCommand(`${view}.focus`));
}

/** Whoever has just installed the extension sees where the chat is. Once, and the keyboard stays where it was. */
async function showOnce(context: vscode.ExtensionContext, view: string): Promise<void> {
  if (context.globalState.get<boolean>(SHOWN) === true) {
    return;
  }
  await context.globalState.update(SHOWN, true);
  await vscode.commands.executeCommand(`${view}.focus`, { preserveFocus: true });
}

export function hasSecondarySideBar(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [wantedMajor, wantedMinor] = FIRST_WITH_SECONDARY;
  return major > wantedMajor || (major === wantedMajor && minor >= wantedMinor);
}
