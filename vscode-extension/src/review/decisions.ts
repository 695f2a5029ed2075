// Decisions are made by the server; what it answers is said in a line.
import * as vscode from "vscode";
import type { RejectedHunk } from "../protocol";
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

  /** What was turned down and can be had again, the newest last. */
  async rejected(): Promise<readonly RejectedHunk[]> {
    const review = await this.server.request("pollux/review", {});
    return review.rejected;
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

let said: vscode.Disposable | undefined;

/** In the status bar, and aloud to whoever listens: a new item each time, because what stands there already is not read again. */
export function say(message: string): void {
  said?.dispose();
  const item = vscode.window.createStatusBarItem("pollux.said", vscode.StatusBarAlignment.Left, Number.MIN_SAFE_INTEGER);
  item.name = vscode.l10n.t("What Pollux Says");
  item.text = message.replaceAll("$(", "$ (");
  item.accessibilityInformation = { label: message, role: "alert" };
  item.show();
  const timer = setTimeout(() => item.dispose(), MESSAGE_MS);
  said = vscode.Disposable.from(item, { dispose: () => clearTimeout(timer) });
}

export function complain(error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  void vscode.window.showWarningMessage(message);
}
