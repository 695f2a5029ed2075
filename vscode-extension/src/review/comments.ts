// Remarks beside lines, for the agent. The server holds them; threads are drawn from what it says.
import * as vscode from "vscode";
import type { LineComment } from "../protocol";
import { say, type Decisions } from "./decisions";
import type { HunkStore } from "./hunks";

interface Remark extends vscode.Comment {
  readonly id: number;
}

/** What menus know a thread by: the second can be sent. */
const SENT = "pollux.sentThread";
const WAITING = "pollux.thread";

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

  /** A thread that is still there stays as it is, open or not: what a person reads must not close by itself. */
  #redraw(uri: string): void {
    const old = this.#threads.get(uri) ?? [];
    const lines = new Map<number, LineComment[]>();
    for (const comment of this.store.comments(uri)) lines.set(comment.line, [...(lines.get(comment.line) ?? []), comment]);
    const threads = [...lines].map(([line, written]) => {
      const range = new vscode.Range(line, 0, line, 0);
      const remarks = written.map(remarkOf);
      const known = old.find(({ comments: [first] }) => first !== undefined && (first as Remark).id === remarks[0]?.id);
      const thread = known ?? this.#controller.createCommentThread(vscode.Uri.parse(uri), range, remarks);
      thread.range = range;
      thread.comments = remarks;
      this.#dress(thread, written.every(({ sent }) => sent) ? SENT : WAITING);
      return thread;
    });
    for (const thread of old) if (!threads.includes(thread)) thread.dispose();
    if (threads.length === 0) this.#threads.delete(uri);
    else this.#threads.set(uri, threads);
  }

  /** What was just written stays open to be looked at; what was just sent is done with. */
  #dress(thread: vscode.CommentThread, state: typeof SENT | typeof WAITING): void {
    if (thread.contextValue === state) return;
    const { Expanded, Collapsed } = vscode.CommentThreadCollapsibleState;
    const isWritten = this.#written?.uri === thread.uri.toString() && this.#written.line === thread.range?.start.line;
    thread.collapsibleState = state === WAITING && isWritten ? Expanded : Collapsed;
    thread.label = state === SENT ? vscode.l10n.t("Sent to the agent") : vscode.l10n.t("For the agent, not sent yet");
    thread.contextValue = state;
  }
}

function remarkOf({ id, text, sent }: LineComment): Remark {
  return {
    id,
    // A person's own words, shown as they were written.
    body: new vscode.MarkdownString().appendText(text),
    mode: vscode.CommentMode.Preview,
    author: { name: vscode.l10n.t("You") },
    contextValue: "pollux.comment",
    ...(sent ? { label: vscode.l10n.t("sent") } : {}),
  };
}
