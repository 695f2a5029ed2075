// The settings of the review.
import * as vscode from "vscode";
import type { ReviewMode } from "./reviewMode";

export function reviewMode(): ReviewMode {
  const mode = vscode.workspace.getConfiguration("pollux.review").get<string>("mode");
  return mode === "after" || mode === "auto" ? mode : "ask";
}

/** Whether files that the agent changes are opened. */
export function reveals(): boolean {
  return vscode.workspace.getConfiguration("pollux.review").get<boolean>("reveal", false);
}
