// The language client: finds the program, starts it, starts it again after a crash.
import * as vscode from "vscode";
import {
  CloseAction,
  ErrorAction,
  LanguageClient,
  LSPErrorCodes,
  ResponseError,
  RevealOutputChannelOn,
  State,
  type CloseHandlerResult,
  type LanguageClientOptions,
  type StaticFeature,
} from "vscode-languageclient/node";
import type { Methods, Params } from "../protocol";
import { Backoff } from "./backoff";
import { findBinary } from "./binary";
import { openDocument, saveDocuments } from "./documents";
import { answerQuery } from "./queries";
import {
  ServerError,
  type ClientNotification,
  type ClientRequest,
  type CommandAnswer,
  type CommandArgument,
  type Server,
  type ServerNotification,
  type ServerState,
} from "./server";

const NO_SERVER = -32097;
/** What the door answers for a host that has died: the door lives on and finds another one. */
const HOST_LOST = -32802;

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

type Listener = (params: never) => void;

export class LanguageServer implements Server, vscode.Disposable {
  #state: ServerState = { kind: "starting" };
  #client: LanguageClient | undefined;
  #backoff = new Backoff(Date.now);
  readonly #listeners = new Map<ServerNotification, Set<Listener>>();
  readonly #changed = new vscode.EventEmitter<ServerState>();
  readonly #owned: vscode.Disposable[] = [this.#changed];
  readonly onDidChangeState = this.#changed.event;

  constructor(
    private readonly extensionFolder: string,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.#owned.push(
      vscode.workspace.onDidChangeConfiguration((change) => {
        const isOurs = (["pollux.server", "pollux.companion"] as const).some((name) => change.affectsConfiguration(name));
        if (isOurs) void this.restart();
      }),
    );
  }

  get state(): ServerState {
    return this.#state;
  }

  async start(): Promise<void> {
    const chosen = vscode.workspace.getConfiguration("pollux").get("server.path", "").trim();
    const found = findBinary({
      chosen,
      extensionFolder: this.extensionFolder,
      path: process.env["PATH"] ?? "",
      platform: process.platform,
    });
    if (found.kind === "missing") {
      this.log.error(`no program found; looked at: ${found.searched.join(", ")}`);
      this.#become({ kind: "missing", searched: found.searched });
      return;
    }
    this.log.info(`starting ${found.file} lsp`);
    const client = this.#create(found.file);
    this.#client = client;
    try {
      await client.start();
    } catch (error) {
      // One that was started and ended at once is tried again by `#closed`.
      if (this.#client === client && neverRan(error)) this.#become({ kind: "stopped", reason: sentence(error) });
    }
  }

  async restart(): Promise<void> {
    this.#become({ kind: "starting" });
    this.#backoff = new Backoff(Date.now);
    await this.#end();
    await this.start();
  }

  async request<M extends ClientRequest>(
    method: M,
    params: Params<M>,
    token?: vscode.CancellationToken,
  ): Promise<Methods[M]["result"]> {
    const client = await this.#ready();
    try {
      // A token that is `undefined` would be sent as a second parameter.
      return await (token === undefined
        ? client.sendRequest<Methods[M]["result"]>(method, params)
        : client.sendRequest<Methods[M]["result"]>(method, params, token));
    } catch (error) {
      throw asServerError(error);
    }
  }

  async execute(command: string, argument: CommandArgument = {}): Promise<CommandAnswer> {
    const client = await this.#ready();
    try {
      const params = { command, arguments: [argument] };
      return (await client.sendRequest<CommandAnswer | null>("workspace/executeCommand", params)) ?? {};
    } catch (error) {
      throw asServerError(error);
    }
  }

  notify<M extends ClientNotification>(method: M, params: Params<M>): void {
    if (this.#state.kind !== "ready" || this.#client === undefined) return;
    this.#client.sendNotification(method, params).catch((error: unknown) => {
      this.log.warn(`${method} was not sent: ${sentence(error)}`);
    });
  }

  on<M extends ServerNotification>(method: M, listener: (params: Params<M>) => void): vscode.Disposable {
    const listeners = this.#listeners.get(method) ?? new Set();
    this.#listeners.set(method, listeners);
    listeners.add(listener);
    return { dispose: () => listeners.delete(listener) };
  }

  dispose(): void {
    for (const owned of this.#owned) owned.dispose();
    void this.#end();
  }

  #create(program: string): LanguageClient {
    const options: LanguageClientOptions = {
      documentSelector: [{ scheme: "file" }],
      outputChannel: this.log,
      initializationOptions: () => ({
        companion: { enabled: vscode.workspace.getConfiguration("pollux").get("companion.enabled", true) },
      }),
      // Named as well, or the level that it has from the start is not looked at.
      traceOutputChannel: this.log,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => this.#closed(),
      },
      initializationFailedHandler: () => false,
    };
    const client = new QuietClient("pollux", "Pollux", { command: program, args: ["lsp"] }, options);
    client.registerFeature(announced);
    this.#listen(client);
    return client;
  }

  #listen(client: LanguageClient): void {
    client.onDidChangeState(({ newState }) => {
      if (this.#client !== client) return;
      if (newState === State.Running) {
        this.#backoff.started();
        this.#become({ kind: "ready" });
        void this.#watchHost(client);
      } else if (newState === State.Starting) {
        this.#become({ kind: "starting" });
      }
    });
    const tell = <M extends ServerNotification>(method: M): void => {
      client.onNotification(method, (params: Params<M>) => {
        for (const listener of this.#listeners.get(method) ?? []) (listener as (params: Params<M>) => void)(params);
      });
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

  /**
   * A request that no room ever answers, because none gets so old. It comes back when the host dies behind the
   * door: the next one knows the files again, but not what was followed, so everybody begins anew.
   */
  async #watchHost(client: LanguageClient): Promise<void> {
    const never: Params<"pollux/snapshot"> = { afterRevision: Number.MAX_SAFE_INTEGER };
    try {
      await client.sendRequest("pollux/snapshot", never);
    } catch (error) {
      const isLost = error instanceof ResponseError && error.code === HOST_LOST;
      if (!isLost || this.#client !== client || this.#state.kind !== "ready") return;
      this.log.warn("the host ended; the door finds another one");
      this.#become({ kind: "starting" });
      this.#become({ kind: "ready" });
      void this.#watchHost(client);
    }
  }

  async #closed(): Promise<CloseHandlerResult> {
    const next = this.#backoff.ended();
    if (next.kind === "giveUp") {
      const reason = vscode.l10n.t("The server ended several times in a row. Its log says why.");
      this.#become({ kind: "stopped", reason });
      return { action: CloseAction.DoNotRestart, handled: true };
    }
    this.#become({ kind: "starting" });
    this.log.warn(`the server ended; starting it again in ${String(next.delayMs)} ms`);
    await new Promise((resolve) => setTimeout(resolve, next.delayMs));
    return { action: CloseAction.Restart, handled: true };
  }

  async #ready(): Promise<LanguageClient> {
    if (this.#state.kind === "starting") await this.#settled();
    if (this.#state.kind === "ready" && this.#client !== undefined) return this.#client;
    throw new ServerError(describe(this.#state), NO_SERVER);
  }

  #settled(): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.onDidChangeState((state) => {
        if (state.kind === "starting") return;
        waiting.dispose();
        resolve();
      });
    });
  }

  async #end(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    // A client that never came up cannot be stopped, and there is nothing to stop.
    if (client?.needsStop() === true) await client.dispose().catch(() => undefined);
  }

  #become(state: ServerState): void {
    if (this.#state.kind === state.kind && state.kind !== "stopped") return;
    this.#state = state;
    this.#changed.fire(state);
  }
}

function describe(state: ServerState): string {
  switch (state.kind) {
    case "missing":
      return vscode.l10n.t("The program `pollux` was not found.");
    case "stopped":
      return state.reason;
    case "starting":
    case "ready":
      return vscode.l10n.t("The server is starting.");
  }
}

function asServerError(error: unknown): ServerError {
  return new ServerError(sentence(error), error instanceof ResponseError ? error.code : NO_SERVER);
}

function neverRan(error: unknown): boolean {
  return error instanceof Error && "syscall" in error;
}

function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
