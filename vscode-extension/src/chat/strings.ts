// The view's sentences in the language of the editor.
import * as vscode from "vscode";
import { ENGLISH } from "../../webview/strings";

export function viewStrings(): Record<string, string> {
  return Object.fromEntries(Object.entries(ENGLISH).map(([key, english]) => [key, vscode.l10n.t(english)]));
}
