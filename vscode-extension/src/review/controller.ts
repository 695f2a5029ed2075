// The review in the editor, put together from its parts.
import * as vscode from "vscode";
import type { Server } from "../server/server";
import type { PendingCount, Review, TurnName } from "./review";

export class ReviewController implements Review, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#changed.event;
  readonly pending: PendingCount = { hunks: 0, files: 0 };

  constructor(private readonly server: Server) {}

  async reveal(uri: string, line = 0): Promise<void> {
    const at = new vscode.Range(line, 0, line, 0);
    await vscode.window.showTextDocument(vscode.Uri.parse(uri), { selection: at });
  }

  async reviewTurn(_turn: TurnName): Promise<void> {}

  async keepAll(turn?: TurnName): Promise<void> {
    await this.server.execute("pollux.all.keep", turn === undefined ? {} : { ...turn });
  }

  async rejectAll(turn?: TurnName): Promise<void> {
    await this.server.execute("pollux.all.reject", turn === undefined ? {} : { ...turn });
  }

  async undoTurn(turn: TurnName): Promise<void> {
    await this.server.execute("pollux.turn.undo", { ...turn });
  }

  dispose(): void {
    this.#changed.dispose();
  }
}
