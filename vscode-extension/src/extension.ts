// Puts the parts together. Each part owns what it registers and is disposed with the extension.
import * as vscode from "vscode";
import { registerChat } from "./chat/chatView";
import { ReviewController } from "./review/controller";
import { LanguageServer } from "./server/languageServer";

export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel("Pollux", { log: true });
  const server = new LanguageServer(context.extensionPath, log);
  const review = new ReviewController(server, () => undefined);
  context.subscriptions.push(log, server, review, registerChat(context, server, review));
  void server.start();
}
