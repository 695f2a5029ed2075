// What a hunk replaced or would bring, whole, and what can be done about it.
import * as vscode from "vscode";
import type { HunkName, HunkStore, PlacedHunk } from "./hunks";
import type { Keys } from "./keys";
import { splitLines } from "./lines";

/** More than fits on a screen is better compared side by side. */
const MOST_LINES = 40;

/** The only commands that a link in here may run. */
const COMMANDS = {
  enabledCommands: [
    "pollux.keepHunk",
    "pollux.rejectHunk",
    "pollux.keepMine",
    "pollux.takeTheirs",
    "pollux.commentHunk",
    "pollux.openOriginal",
  ],
};

export class HunkHovers implements vscode.HoverProvider, vscode.Disposable {
  readonly #owned: vscode.Disposable;

  constructor(
    private readonly store: HunkStore,
    private readonly keys: Keys,
  ) {
    this.#owned = vscode.languages.registerHoverProvider({ scheme: "file" }, this);
  }

  provideHover(document: vscode.TextDocument, { line }: vscode.Position): vscode.Hover | undefined {
    const uri = document.uri.toString();
    const placed = this.store.at(uri, line, document.lineCount);
    if (placed === undefined) return undefined;
    const last = Math.max(placed.last - 1, placed.first);
    const range = document.validateRange(new vscode.Range(placed.first, 0, last, Number.MAX_SAFE_INTEGER));
    const count = this.store.file(uri)?.hunks.length ?? 0;
    return new vscode.Hover([...texts(document, placed), this.#links(placed, count)], range);
  }

  dispose(): void {
    this.#owned.dispose();
  }

  /** Apart from the texts, which are not ours: those run nothing. */
  #links(placed: PlacedHunk, count: number): vscode.MarkdownString {
    const name = encodeURIComponent(JSON.stringify([nameOf(placed)]));
    const link = (text: string, command: string): string => `[${this.keys.named(text, command)}](command:${command}?${name})`;
    const decisions =
      placed.hunk.state === "conflict"
        ? [link(vscode.l10n.t("Keep mine"), "pollux.keepMine"), link(vscode.l10n.t("Take agent's"), "pollux.takeTheirs")]
        : [link(vscode.l10n.t("Keep"), "pollux.keepHunk"), link(vscode.l10n.t("Reject"), "pollux.rejectHunk")];
    const links = new vscode.MarkdownString(
      [
        ...decisions,
        link(vscode.l10n.t("Comment"), "pollux.commentHunk"),
        link(vscode.l10n.t("Compare"), "pollux.openOriginal"),
        vscode.l10n.t("{0} of {1}", placed.position, count),
      ].join(" &nbsp;·&nbsp; "),
    );
    links.isTrusted = COMMANDS;
    return links;
  }
}

/** Enough to find a hunk again; the hunk itself would make a link of any length. */
function nameOf({ uri, revision, hunk }: PlacedHunk): HunkName {
  return { uri, revision, index: hunk.index };
}

function texts(document: vscode.TextDocument, { hunk }: PlacedHunk): vscode.MarkdownString[] {
  const title = hunk.state === "pending" ? vscode.l10n.t("Before") : vscode.l10n.t("What the agent wants");
  const text = hunk.state === "pending" ? hunk.removed : hunk.added;
  if (text === "") {
    const nothing = hunk.state === "pending" ? vscode.l10n.t("New lines: nothing stood here before.") : vscode.l10n.t("The agent wants these lines to go.");
    return [new vscode.MarkdownString(nothing)];
  }
  const lines = splitLines(text);
  const shown = lines.slice(0, MOST_LINES).join("");
  const part = new vscode.MarkdownString(title).appendCodeblock(shown.replace(/\r?\n$/, ""), document.languageId);
  if (lines.length > MOST_LINES) part.appendText(vscode.l10n.t("… and {0} more lines", lines.length - MOST_LINES));
  return [part];
}
