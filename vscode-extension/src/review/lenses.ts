// One line of buttons above each hunk.
import * as vscode from "vscode";
import type { HunkStore, PlacedHunk } from "./hunks";
import type { Keys } from "./keys";
import { hiddenLines } from "./marks";

export class HunkLenses implements vscode.CodeLensProvider, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.#changed.event;
  readonly #owned: vscode.Disposable[];

  constructor(
    private readonly store: HunkStore,
    private readonly keys: Keys,
  ) {
    const changed = (): void => this.#changed.fire();
    this.#owned = [
      this.#changed,
      { dispose: store.watch(changed) },
      { dispose: keys.watch(changed) },
      vscode.languages.registerCodeLensProvider({ scheme: "file" }, this),
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration("pollux.review.codeLens")) this.#changed.fire();
      }),
    ];
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    if (!vscode.workspace.getConfiguration("pollux").get<boolean>("review.codeLens", true)) return [];
    const file = this.store.file(document.uri.toString());
    return (file?.hunks ?? []).flatMap((placed) => lenses(document, placed, file?.hunks.length ?? 0, this.keys));
  }

  dispose(): void {
    for (const owned of this.#owned) owned.dispose();
  }
}

function lenses(document: vscode.TextDocument, placed: PlacedHunk, count: number, keys: Keys): vscode.CodeLens[] {
  const line = Math.min(placed.first, document.lineCount - 1);
  const range = new vscode.Range(line, 0, line, 0);
  const lens = (title: string, command: string, tooltip: string): vscode.CodeLens =>
    new vscode.CodeLens(range, { title, command, tooltip, arguments: [placed] });
  const hidden = hiddenLines(placed);
  const decisions =
    placed.hunk.state === "conflict"
      ? [
          lens(vscode.l10n.t("Keep mine"), "pollux.keepMine", vscode.l10n.t("Leave your lines as they are")),
          lens(vscode.l10n.t("Take agent's"), "pollux.takeTheirs", vscode.l10n.t("Replace your lines with the agent's")),
        ]
      : [
          lens(keys.named(vscode.l10n.t("Keep"), "pollux.keepHunk"), "pollux.keepHunk", vscode.l10n.t("Keep this change")),
          lens(keys.named(vscode.l10n.t("Reject"), "pollux.rejectHunk"), "pollux.rejectHunk", refusal(placed)),
        ];
  return [
    ...decisions,
    ...(hidden > 0 ? [lens(hiddenWords(placed, hidden), "pollux.peekHunk", vscode.l10n.t("Look at them here"))] : []),
    lens(vscode.l10n.t("Comment"), "pollux.commentHunk", keys.named(vscode.l10n.t("Tell the agent something about these lines"), "pollux.commentHunk")),
    lens(vscode.l10n.t("{0} of {1}", placed.position, count), "pollux.openOriginal", vscode.l10n.t("Compare with the original")),
  ];
}

function refusal({ hunk }: PlacedHunk): string {
  return hunk.state === "proposed" ? vscode.l10n.t("Leave the lines as they are") : vscode.l10n.t("Take this change back");
}

function hiddenWords({ hunk }: PlacedHunk, lines: number): string {
  return hunk.state === "pending" ? vscode.l10n.t("Show {0} removed lines", lines) : vscode.l10n.t("Show {0} new lines", lines);
}
