// One item in the status bar: what happens, and a click to what is needed next.
import * as vscode from "vscode";
import type { Review } from "../review/review";
import type { Server } from "../server/server";
import { MODES } from "../../webview/composer/modes";
import { ENGLISH } from "../../webview/strings";
import { money } from "../../webview/words/numbers";
import type { Sessions } from "./sessions";
import { amounts, headline, shortNumber, type Headline } from "./statusText";

interface Face {
  text: string;
  /** What a screen reader says. */
  label: string;
  command: string;
  background?: "statusBarItem.warningBackground" | "statusBarItem.errorBackground";
}

export class StatusBar implements vscode.Disposable {
  readonly #item: vscode.StatusBarItem;
  readonly #owned: vscode.Disposable[];

  constructor(
    private readonly server: Server,
    private readonly sessions: Sessions,
    private readonly review: Review,
  ) {
    this.#item = vscode.window.createStatusBarItem("pollux.status", vscode.StatusBarAlignment.Left, 0);
    this.#item.name = "Pollux";
    const show = (): void => this.#show();
    this.#owned = [
      this.#item,
      server.onDidChangeState(show),
      sessions.onDidChange(show),
      review.onDidChange(show),
    ];
    this.#show();
    this.#item.show();
  }

  dispose(): void {
    for (const owned of this.#owned) owned.dispose();
  }

  #show(): void {
    const line = headline({
      server: this.server.state.kind,
      session: this.sessions.current,
      questions: this.sessions.questions,
      toReview: this.review.pending.hunks,
    });
    const { text, label, command, background } = face(line);
    this.#item.text = HAS_ROOM.has(line.kind) ? text + amounts(this.sessions.current, vscode.env.language) : text;
    this.#item.command = command;
    this.#item.accessibilityInformation = { label };
    this.#item.backgroundColor = background === undefined ? undefined : new vscode.ThemeColor(background);
    this.#item.tooltip = this.#tooltip(label);
  }

  #tooltip(label: string): vscode.MarkdownString {
    const rows: [string, string][] = [];
    const session = this.sessions.current;
    if (session?.title !== undefined) rows.push([vscode.l10n.t("Session"), session.title]);
    if (session?.model !== undefined) rows.push([vscode.l10n.t("Model"), session.model]);
    if (session?.mode !== undefined) rows.push([vscode.l10n.t("Mode"), modeWords(session.mode)]);
    if (session?.tokens !== undefined) rows.push([vscode.l10n.t("Tokens"), shortNumber(session.tokens)]);
    if (session?.cost !== undefined) {
      const { amount, currency } = session.cost;
      rows.push([vscode.l10n.t("Cost"), money(amount, currency, vscode.env.language)]);
    }
    const { hunks, files } = this.review.pending;
    if (hunks > 0) rows.push([vscode.l10n.t("To review"), vscode.l10n.t("{0} in {1} files", hunks, files)]);
    const tooltip = new vscode.MarkdownString().appendText(label);
    for (const [name, value] of rows) tooltip.appendMarkdown(`\n\n**${name}** `).appendText(value);
    return tooltip;
  }
}

/** What is wrong or waits stands alone. */
const HAS_ROOM: ReadonlySet<Headline["kind"]> = new Set(["works", "toReview", "idle"]);

/** As the chat says it. */
function modeWords(mode: string): string {
  const known = MODES.find((one) => one.mode === mode);
  return known === undefined ? mode : vscode.l10n.t(ENGLISH[known.name]);
}

function face(line: Headline): Face {
  switch (line.kind) {
    case "missing":
      return {
        text: "$(warning) Pollux",
        label: vscode.l10n.t("Pollux: the program is missing"),
        command: "pollux.fixServer",
        background: "statusBarItem.errorBackground",
      };
    case "stopped":
      return {
        text: "$(warning) Pollux",
        label: vscode.l10n.t("Pollux: the server does not run"),
        command: "pollux.fixServer",
        background: "statusBarItem.errorBackground",
      };
    case "starting":
      return { text: "$(sync~spin) Pollux", label: vscode.l10n.t("Pollux: starting"), command: "pollux.showLog" };
    case "asks":
      return {
        text: `$(bell-dot) ${vscode.l10n.t("Pollux: {0} to answer", line.count)}`,
        label: vscode.l10n.t("Pollux waits for an answer"),
        command: "pollux.answer",
        background: "statusBarItem.warningBackground",
      };
    case "works":
      return {
        text: `$(loading~spin) ${line.toReview > 0 ? vscode.l10n.t("Pollux: {0} to review", line.toReview) : "Pollux"}`,
        label: vscode.l10n.t("Pollux is working"),
        command: line.toReview > 0 ? "pollux.nextHunk" : "pollux.focusChat",
      };
    case "toReview":
      return {
        text: `$(diff-multiple) ${vscode.l10n.t("Pollux: {0} to review", line.count)}`,
        label: vscode.l10n.t("Pollux: {0} to review", line.count),
        command: "pollux.nextHunk",
      };
    case "idle":
      return { text: "$(sparkle) Pollux", label: vscode.l10n.t("Pollux: ready"), command: "pollux.focusChat" };
  }
}
