// What the rest of the extension knows of the server: typed messages and whether it is there.
import type * as vscode from "vscode";
import type { Methods, MethodName, Params } from "../protocol";

type Sent<Direction extends string, Kind extends string> = {
  [M in MethodName]: Methods[M] extends { direction: Direction; kind: Kind } ? M : never;
}[MethodName];

/** What this side may ask. */
export type ClientRequest = Sent<"clientToServer", "request">;
/** What this side may tell. */
export type ClientNotification = Sent<"clientToServer", "notification">;
/** What the server tells. */
export type ServerNotification = Sent<"serverToClient", "notification">;

export type ServerState =
  /** Not yet asked for, or between two tries. */
  | { kind: "starting" }
  | { kind: "ready" }
  /** There is no binary to start. */
  | { kind: "missing"; searched: readonly string[] }
  /** It ended and will not be tried again by itself. */
  | { kind: "stopped"; reason: string };

/** The argument of a review command; see "Commands" in docs/protocol.md. */
export type CommandArgument = Readonly<Record<string, string | number>>;

export interface CommandAnswer {
  /** A sentence for the person. */
  message?: string;
  uri?: string;
  line?: number;
  character?: number;
  prompt?: string;
}

/**
 * The server, as long as the window lives. It may be replaced behind this interface after a crash:
 * each `ready` after the first one means that whatever was followed has to be followed again.
 */
export interface Server {
  readonly state: ServerState;
  readonly onDidChangeState: vscode.Event<ServerState>;
  /** Waits until the server is there. Rejects with a `ServerError`. */
  request<M extends ClientRequest>(
    method: M,
    params: Params<M>,
    token?: vscode.CancellationToken,
  ): Promise<Methods[M]["result"]>;
  /** Dropped while no server is there: what is told so is told anew to the next one. */
  notify<M extends ClientNotification>(method: M, params: Params<M>): void;
  on<M extends ServerNotification>(method: M, listener: (params: Params<M>) => void): vscode.Disposable;
  /** A `pollux.*` command of the server. Rejects with a `ServerError`. */
  execute(command: string, argument?: CommandArgument): Promise<CommandAnswer>;
  /** Starts it anew, also after it has given up. */
  restart(): Promise<void>;
}

/** What went wrong, as a sentence that can be shown. */
export class ServerError extends Error {
  override readonly name = "ServerError";

  constructor(
    message: string,
    readonly code: number,
  ) {
    super(message);
  }

  /** The thing it was about has changed meanwhile (`ContentModified`). */
  get isStale(): boolean {
    return this.code === -32801;
  }
}
