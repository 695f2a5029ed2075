// The language client: finds the program, starts it, starts it again after a crash.
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import type { Methods, Params } from "../protocol";
import { Backoff } from "./backoff";
import { findBinary } from "./binary";
import type { Course } from "./client";
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

type Listener = (params: never) => void;

export class LanguageServer implements Server, vscode.Disposable {
  #state: ServerState = { kind: "starting" };
  #client: LanguageClient | undefined;
  /** The last one counts: while the library loads, another may begin. */
  #attempt = 0;
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
    const attempt = ++this.#attempt;
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
    // The library is most of what there is to load, and nobody waits for it in order to see their window.
    const { createClient } = await import("./client");
    if (attempt !== this.#attempt) return;
    const client = createClient(found.file, this.log, this.#course());
    this.#client = client;
    try {
      await client.start();
    } catch (error) {
      // One that was started and ended at once is tried again by `#again`.
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
    this.#attempt += 1;
    void this.#end();
  }

  #course(): Course {
    return {
      starting: (client) => {
        if (this.#client === client) this.#become({ kind: "starting" });
      },
      running: (client) => {
        if (this.#client !== client) return;
        this.#backoff.started();
        this.#become({ kind: "ready" });
        void this.#watchHost(client);
      },
      again: () => this.#again(),
      heard: (method, params) => {
        for (const listener of this.#listeners.get(method) ?? []) (listener as (params: unknown) => void)(params);
      },
    };
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
      const isLost = codeOf(error) === HOST_LOST;
      if (!isLost || this.#client !== client || this.#state.kind !== "ready") return;
      this.log.warn("the host ended; the door finds another one");
      this.#become({ kind: "starting" });
      this.#become({ kind: "ready" });
      void this.#watchHost(client);
    }
  }

  /** Whether a process that has ended is to be followed by another, said when it is time. */
  async #again(): Promise<boolean> {
    const next = this.#backoff.ended();
    if (next.kind === "giveUp") {
      const reason = vscode.l10n.t("The server ended several times in a row. Its log says why.");
      this.#become({ kind: "stopped", reason });
      return false;
    }
    this.#become({ kind: "starting" });
    this.log.warn(`the server ended; starting it again in ${String(next.delayMs)} ms`);
    await new Promise((resolve) => setTimeout(resolve, next.delayMs));
    return true;
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
  return new ServerError(sentence(error), codeOf(error) ?? NO_SERVER);
}

/** Of an answer that is an error. Told by its shape, because its class comes with the library. */
function codeOf(error: unknown): number | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "number" ? error.code : undefined;
}

function neverRan(error: unknown): boolean {
  return error instanceof Error && "syscall" in error;
}

function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
