// Whose keys are named. The extension runs beside the files, so it hears from the chat view where the person sits.
import type * as vscode from "vscode";
import type { Keyboard } from "./chat/messages";
import { Keys, type Binding } from "./review/keys";

const KNOWN = "client.keyboard";

export function personsKeys(context: vscode.ExtensionContext): Keys {
  const { contributes } = context.extension.packageJSON as { contributes: { keybindings: Binding[] } };
  const guess: Keyboard = process.platform === "darwin" ? "mac" : "other";
  return new Keys(contributes.keybindings, context.globalState.get<Keyboard>(KNOWN) ?? guess);
}

export function learnKeyboard(context: vscode.ExtensionContext, keys: Keys, keyboard: Keyboard): void {
  keys.sitAt(keyboard);
  void context.globalState.update(KNOWN, keyboard);
}
