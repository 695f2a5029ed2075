// Another window on the same workspace: talks to the server as an editor does, without an editor.
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import {
  createMessageConnection,
  StreamMessageReader,
  StreamMessageWriter,
  type MessageConnection,
} from "vscode-languageserver-protocol/node";
import type { Params, SessionEvent, SnapshotParams, SnapshotResult } from "../../src/protocol";
import { end, required, start } from "./processes";

export class Door {
  #session = "";
  readonly events: SessionEvent[] = [];
  readonly #waiting = new Set<() => void>();

  private constructor(
    private readonly child: ChildProcessWithoutNullStreams,
    private readonly connection: MessageConnection,
  ) {}

  /** Opens a window in which edits are made without a question, and starts a session. */
  static async open(folder: string, environment: Record<string, string>): Promise<Door> {
    const child = start(required("POLLUX_BINARY"), ["lsp"], { cwd: folder, env: environment });
    const reader = new StreamMessageReader(child.stdout);
    const connection = createMessageConnection(reader, new StreamMessageWriter(child.stdin));
    const door = new Door(child, connection);
    connection.onNotification("pollux/sessionEvents", ({ events }: Params<"pollux/sessionEvents">) => {
      door.events.push(...events);
      for (const look of door.#waiting) look();
    });
    connection.listen();
    await connection.sendRequest("initialize", {
      processId: process.pid,
      rootUri: `file://${folder}`,
      workspaceFolders: [{ uri: `file://${folder}`, name: "project" }],
      capabilities: { experimental: { pollux: { hunks: true, approvals: true } } },
    });
    await connection.sendNotification("initialized", {});
    await connection.sendNotification("pollux/editorState", { trusted: true });
    const { session } = await connection.sendRequest<{ session: string }>("pollux/sessionStart", {});
    door.#session = session;
    await connection.sendRequest("pollux/sessionFollow", { session });
    await connection.sendRequest("pollux/modeSet", { session, mode: "autoEdit" });
    return door;
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  /** A command of the server that is about all files. */
  async execute(command: string): Promise<void> {
    await this.connection.sendRequest("workspace/executeCommand", { command, arguments: [{}] });
  }

  async prompt(text: string): Promise<void> {
    await this.connection.sendRequest("pollux/promptQueue", { session: this.#session, text });
  }

  /** Waits until some window has opened the file. */
  async seesOpen(uri: string): Promise<void> {
    let afterRevision: number | undefined;
    for (;;) {
      const params: SnapshotParams = afterRevision === undefined ? {} : { afterRevision };
      const room = await this.connection.sendRequest<SnapshotResult>("pollux/snapshot", params);
      if (room.documents.some((document) => document.uri === uri)) return;
      afterRevision = room.revision;
    }
  }

  /** Resolves with the first event that fits, whether it has come already or not. */
  heard(fits: (event: SessionEvent) => boolean): Promise<SessionEvent> {
    return new Promise((resolve) => {
      const look = (): void => {
        const found = this.events.find(fits);
        if (found === undefined) return;
        this.#waiting.delete(look);
        resolve(found);
      };
      this.#waiting.add(look);
      look();
    });
  }

  turnEnd(): Promise<SessionEvent> {
    return this.heard((event) => event.kind === "turnEnded");
  }

  async close(): Promise<void> {
    this.connection.dispose();
    await end(this.child);
  }
}
