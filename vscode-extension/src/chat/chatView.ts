// The chat view. It lives in `webview/`; this side hands messages between it and the server.
import * as vscode from "vscode";
import type { Review } from "../review/review";
import type { Server } from "../server/server";

/** The second one is used where the secondary side bar cannot hold views. */
export const CHAT_VIEWS = ["pollux.chat", "pollux.chatFallback"] as const;

export function registerChat(context: vscode.ExtensionContext, _server: Server, _review: Review): vscode.Disposable {
  const provider: vscode.WebviewViewProvider = {
    resolveWebviewView(view) {
      view.webview.options = { enableScripts: true, localResourceRoots: [context.extensionUri] };
      view.webview.html = "<!DOCTYPE html><title>Pollux</title>";
    },
  };
  return vscode.Disposable.from(...CHAT_VIEWS.map((id) => vscode.window.registerWebviewViewProvider(id, provider)));
}
