// Decisions are made by the server; what it answers is said in a line.
import * as vscode from "vscode";
import { ServerError, type CommandAnswer, type CommandArgument, type Server } from "../server/server";
import type { HunkStore, PlacedHunk } from "./hunks";

const MESSAGE_MS = 5000;

export class Decisions {
  constructor(
    private readonly server: Server,
    private readonly store: HunkStore,
  ) {}

  /** Runs a command of the review. `undefined` when it did not work, which was said then. */
  async run(command: string, argument?: CommandArgument): Promise<CommandAnswer | undefined> {
    try {
      const answer = await this.server.execute(command, argument);
      if (answer.message !== undefined) say(answer.message);
      return answer;
    } catch (error) {
      complain(error);
      return undefined;
    }
  }

  /** A name that has gone stale is looked up once; what is gone by then is said. */
  async decide(command: string, placed: PlacedHunk): Promise<void> {
    const fresh = this.store.renamed(placed) ?? placed;
    try {
      await this.#decideOnce(command, fresh);
    } catch (error) {
      if (!(error instanceof ServerError) || !error.isStale) {
        complain(error);
        return;
      }
      await this.#refreshed(placed.uri);
      const again = this.store.renamed(placed);
      if (again === undefined) say(vscode.l10n.t("This has just changed: look again and decide."));
      else await this.#decideOnce(command, again).catch(complain);
    }
  }

  async #decideOnce(command: string, { uri, revision, hunk }: PlacedHunk): Promise<void> {
    const answer = await this.server.execute(command, { uri, revision, index: hunk.index });
    if (answer.message !== undefined) say(answer.message);
  }

  /** The whole review, because the next message about the file may be on its way or may have come already. */
  async #refreshed(uri: string): Promise<void> {
    const review = await this.server.request("pollux/review", {});
    const file = review.files.find((candidate) => vscode.Uri.parse(candidate.uri).toString() === uri);
    if (file === undefined) return;
    this.store.replace({ uri, path: file.path, revision: file.revision, hunks: file.hunks });
  }
}

export function say(message: string): void {
  vscode.window.setStatusBarMessage(message, MESSAGE_MS);
}

export function complain(error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  void vscode.window.showWarningMessage(message);
}
