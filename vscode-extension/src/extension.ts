// Puts the parts together. Each part owns what it registers and is disposed with the extension.
import * as vscode from "vscode";
import { registerChat } from "./chat/chatView";
import { registerFirstSteps } from "./firstSteps";
import { personsKeys } from "./keyboard";
import { ReviewController } from "./review/controller";
import { EditorStream } from "./server/editorStream";
import { LanguageServer } from "./server/languageServer";
import { tellTerminals } from "./server/terminals";
import { WayOut } from "./server/wayOut";
import { placeChat } from "./sideBar";
import { Attention } from "./status/attention";
import { Sessions } from "./status/sessions";
import { StatusBar } from "./status/statusBar";

export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel("Pollux", { log: true });
  const server = new LanguageServer(context.extensionPath, log);
  const sessions = new Sessions(server);
  const keys = personsKeys(context);
  const review = new ReviewController(server, keys, sessions);
  const chat = registerChat(context, { server, review, sessions, keys });
  context.subscriptions.push(
    log,
    server,
    sessions,
    review,
    placeChat(context),
    chat,
    new EditorStream(server),
    tellTerminals(server, context.environmentVariableCollection),
    registerFirstSteps(context),
    new Attention(server, chat),
    new WayOut(server, log),
    new StatusBar(server, sessions, review),
  );
  void server.start();
}
