// Remarks beside lines, for the agent. The server holds them; threads are drawn from what it says.
import * as vscode from "vscode";
import { say, type Decisions } from "./decisions";
import type { HunkStore } from "./hunks";

interface Remark extends vscode.Comment {
  readonly id: number;
}

export class Comments implements vscode.Disposable {
  readonly #controller: vscode.CommentController;
  readonly #threads = new Map<string, vscode.CommentThread[]>();
  readonly #owned: vscode.Disposable[];
  /** Where somebody has just written: it stays open, so that they see it. */
  #written: { uri: string; line: number } | undefined;

  constructor(
    private readonly store: HunkStore,
    private readonly decisions: Decisions,
  ) {
    this.#controller = vscode.comments.createCommentController("pollux", "Pollux");
    this.#controller.options = {
      prompt: vscode.l10n.t("Tell the agent something about this line"),
      placeHolder: vscode.l10n.t("What should be different here?"),
    };
    this.#controller.commentingRangeProvider = { provideCommentingRanges: (document) => this.#ranges(document) };
    const unwatch = store.watch((uri) => this.#redraw(uri));
    this.#owned = [
      this.#controller,
      { dispose: unwatch },
      vscode.commands.registerCommand("pollux.addComment", (reply?: vscode.CommentReply) => this.#add(reply)),
      vscode.commands.registerCommand("pollux.removeComment", (remark?: Remark) => this.#remove(remark)),
      vscode.commands.registerCommand("pollux.sendComments", () => this.decisions.run("pollux.comments.send")),
    ];
  }

  dispose(): void {
    for (const owned of this.#owned) owned.dispose();
  }

  #ranges(document: vscode.TextDocument): vscode.Range[] {
    const hunks = this.store.file(document.uri.toString())?.hunks ?? [];
    const bottom = document.lineCount - 1;
    return hunks.map(({ first, last }) => {
      const top = Math.min(first, bottom);
      return new vscode.Range(top, 0, Math.min(Math.max(last - 1, top), bottom), 0);
    });
  }

  /** What was written comes with the button; a key has nothing to give. */
  async #add(reply: vscode.CommentReply | undefined): Promise<void> {
    if (reply === undefined) {
      say(vscode.l10n.t("Write the comment beside a change first."));
      return;
    }
    const { thread, text } = reply;
    const line = thread.range?.start.line;
    if (line === undefined || text.trim() === "") return;
    const uri = thread.uri.toString();
    const drawn = this.#threads.get(uri)?.includes(thread) === true;
    this.#written = { uri, line };
    // The empty thread that was typed into gives way to the one that the server's answer draws.
    if (!drawn) thread.dispose();
    await this.decisions.run("pollux.comment.add", { uri, line, text });
  }

  async #remove(remark: Remark | undefined): Promise<void> {
    if (remark === undefined) say(vscode.l10n.t("Choose the comment to remove."));
    else await this.decisions.run("pollux.comment.remove", { id: remark.id });
  }

  #redraw(uri: string): void {
    for (const thread of this.#threads.get(uri) ?? []) thread.dispose();
    const comments = (this.store.file(uri)?.hunks ?? []).flatMap(({ hunk }) => hunk.comments);
    const lines = new Map<number, Remark[]>();
    for (const { id, line, text } of comments) {
      lines.set(line, [...(lines.get(line) ?? []), remarkOf(id, text)]);
    }
    const threads = [...lines].map(([line, remarks]) => {
      const thread = this.#controller.createCommentThread(vscode.Uri.parse(uri), new vscode.Range(line, 0, line, 0), remarks);
      const isWritten = this.#written?.uri === uri && this.#written.line === line;
      thread.collapsibleState = vscode.CommentThreadCollapsibleState[isWritten ? "Expanded" : "Collapsed"];
      thread.label = vscode.l10n.t("For the agent");
      thread.contextValue = "pollux.thread";
      return thread;
    });
    if (threads.length === 0) this.#threads.delete(uri);
    else this.#threads.set(uri, threads);
  }
}

function remarkOf(id: number, text: string): Remark {
  return {
    id,
    // A person's own words, shown as they were written.
    body: new vscode.MarkdownString().appendText(text),
    mode: vscode.CommentMode.Preview,
    author: { name: vscode.l10n.t("You") },
    contextValue: "pollux.comment",
  };
}
