// Looking at a hunk that was rejected: what stood there beside what the agent wanted. Neither is in a file any more.
import * as vscode from "vscode";
import type { RejectedHunk } from "../protocol";
import type { Server } from "../server/server";

const SCHEME = "pollux-rejected";
/** Registered, but in no menu: it is what a click on a row does. */
export const SHOW_REJECTED = "pollux.showRejected";

export class RejectedTexts implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #owned: vscode.Disposable[];

  constructor(private readonly server: Server) {
    this.#owned = [
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      vscode.commands.registerCommand(SHOW_REJECTED, (hunk: RejectedHunk) => show(hunk)),
    ];
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const { rejected } = await this.server.request("pollux/review", {});
    const hunk = rejected.find(({ id }) => String(id) === uri.query);
    return (uri.fragment === "added" ? hunk?.added : hunk?.removed) ?? "";
  }

  dispose(): void {
    for (const owned of this.#owned) owned.dispose();
  }
}

async function show(hunk: RejectedHunk): Promise<void> {
  const title = vscode.l10n.t("{0}:{1} (rejected)", hunk.path, hunk.line + 1);
  await vscode.commands.executeCommand("vscode.diff", side(hunk, "removed"), side(hunk, "added"), title);
}

/** The path stays the file's own, so that the language is right. */
function side(hunk: RejectedHunk, fragment: "removed" | "added"): vscode.Uri {
  return vscode.Uri.from({ scheme: SCHEME, path: vscode.Uri.parse(hunk.uri).path, query: String(hunk.id), fragment });
}
