// Which parts of what the editor shows go with a prompt, by the settings.
import * as vscode from "vscode";
import type { ContextRule, ContextRules } from "./messages";

export function contextRules(): ContextRules {
  const settings = vscode.workspace.getConfiguration("pollux.context");
  const rule = (name: string): ContextRule => {
    const value = settings.get<string>(name);
    return value === "ask" || value === "off" ? value : "auto";
  };
  return { activeFile: rule("activeFile"), selection: rule("selection") };
}
