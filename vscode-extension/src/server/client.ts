// The language client of one process of the server. Loaded only when there is something to start.
import * as vscode from "vscode";
import {
  CloseAction,
  ErrorAction,
  LanguageClient,
  LSPErrorCodes,
  ResponseError,
  RevealOutputChannelOn,
  State,
  type LanguageClientOptions,
  type StaticFeature,
} from "vscode-languageclient/node";
import type { InitializationOptions, Params } from "../protocol";
import { openDocument, saveDocuments } from "./documents";
import { answerQuery } from "./queries";
import type { ServerNotification } from "./server";

/** What becomes of a client. */
export interface Course {
  starting(client: LanguageClient): void;
  running(client: LanguageClient): void;
  /** Its process has ended; it is started again when this has come to a yes. */
  again(): Promise<boolean>;
  heard<M extends ServerNotification>(method: M, params: Params<M>): void;
}

/** What this client can do beyond the language server protocol. */
const announced: StaticFeature = {
  fillClientCapabilities(capabilities) {
    const queries = ["definition", "references", "rename"];
    const pollux = { hunks: true, save: true, resync: true, approvals: true, companion: true, asides: true, queries };
    capabilities.experimental = { ...(capabilities.experimental as object | undefined), pollux };
  },
  initialize() {},
  getState() {
    return { kind: "static" };
  },
  clear() {},
};

/** What goes wrong is in the log; what a person can do about it is said by us, once. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

export function createClient(program: string, log: vscode.LogOutputChannel, course: Course): LanguageClient {
  const options: LanguageClientOptions = {
    documentSelector: [{ scheme: "file" }],
    outputChannel: log,
    initializationOptions: (): InitializationOptions => ({
      companion: { enabled: vscode.workspace.getConfiguration("pollux").get("companion.enabled", true) },
    }),
    // Named as well, or the level that it has from the start is not looked at.
    traceOutputChannel: log,
    revealOutputChannelOn: RevealOutputChannelOn.Never,
    errorHandler: {
      error: () => ({ action: ErrorAction.Continue, handled: true }),
      closed: async () => ({
        action: (await course.again()) ? CloseAction.Restart : CloseAction.DoNotRestart,
        handled: true,
      }),
    },
    initializationFailedHandler: () => false,
  };
  const client = new QuietClient("pollux", "Pollux", { command: program, args: ["lsp"] }, options);
  client.registerFeature(announced);
  listen(client, course);
  return client;
}

function listen(client: LanguageClient, course: Course): void {
  client.onDidChangeState(({ newState }) => {
    if (newState === State.Running) course.running(client);
    else if (newState === State.Starting) course.starting(client);
  });
  const tell = <M extends ServerNotification>(method: M): void => {
    client.onNotification(method, (params: Params<M>) => course.heard(method, params));
  };
  tell("pollux/companion");
  tell("pollux/hunks");
  tell("pollux/sessionEvents");
  client.onNotification("pollux/resync", ({ uri }: Params<"pollux/resync">) => {
    const document = openDocument(uri);
    if (document === undefined) return;
    const textDocument = { uri, version: document.version };
    void client.sendNotification("textDocument/didChange", {
      textDocument,
      contentChanges: [{ text: document.getText() }],
    });
  });
  client.onRequest("pollux/editorQuery", (params: Params<"pollux/editorQuery">) => answerQuery(params));
  client.onRequest("pollux/save", async ({ uris }: Params<"pollux/save">) => {
    const unsaved = await saveDocuments(uris);
    if (unsaved.length === 0) return null;
    return new ResponseError(LSPErrorCodes.RequestFailed, `not saved: ${unsaved.join(", ")}`);
  });
}
