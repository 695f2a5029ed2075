// One line of buttons above each hunk.
import * as vscode from "vscode";
import type { HunkStore, PlacedHunk } from "./hunks";
import type { Keys } from "./keys";
import { hiddenLines } from "./marks";
import { fileBehind, ORIGINAL, PROPOSED } from "./originals";
import { isOnDisk } from "./places";
import { hunksOn, lineOnOtherSide } from "./sides";

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
      vscode.languages.registerCodeLensProvider([{ scheme: "file" }, { scheme: ORIGINAL }, { scheme: PROPOSED }], this),
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration("pollux.review.codeLens")) this.#changed.fire();
      }),
    ];
  }

  async provideCodeLenses(document: vscode.TextDocument): Promise<vscode.CodeLens[]> {
    if (!vscode.workspace.getConfiguration("pollux").get<boolean>("review.codeLens", true)) return [];
    const behind = fileBehind(this.store, document.uri);
    if (behind === undefined) {
      const hunks = this.store.file(document.uri.toString())?.hunks ?? [];
      return hunks.flatMap((placed) => lenses(document, placed, hunks.length, this.keys));
    }
    // A side stands in for its file only where there is none.
    if (await isOnDisk(vscode.Uri.parse(behind.uri))) return [];
    return hunksOn(behind.side, behind.hunks).flatMap((placed) => {
      const line = Math.min(lineOnOtherSide(behind.hunks, placed), document.lineCount - 1);
      const at = lensAt(new vscode.Range(line, 0, line, 0), placed);
      return [...decisionLenses(at, placed, this.keys), countLens(at, placed, behind.hunks.length)];
    });
  }

  dispose(): void {
    for (const owned of this.#owned) owned.dispose();
  }
}

function lenses(document: vscode.TextDocument, placed: PlacedHunk, count: number, keys: Keys): vscode.CodeLens[] {
  const line = Math.min(placed.first, document.lineCount - 1);
  const lens = lensAt(new vscode.Range(line, 0, line, 0), placed);
  const hidden = hiddenLines(placed);
  return [
    ...decisionLenses(lens, placed, keys),
    ...(hidden > 0 ? [lens(hiddenWords(placed, hidden), "pollux.peekHunk", vscode.l10n.t("Look at them here"))] : []),
    lens(vscode.l10n.t("Comment"), "pollux.commentHunk", keys.named(vscode.l10n.t("Tell the agent something about these lines"), "pollux.commentHunk")),
    countLens(lens, placed, count),
  ];
}

type Lens = (title: string, command: string, tooltip: string) => vscode.CodeLens;

function lensAt(range: vscode.Range, placed: PlacedHunk): Lens {
  return (title, command, tooltip) => new vscode.CodeLens(range, { title, command, tooltip, arguments: [placed] });
}

function decisionLenses(lens: Lens, placed: PlacedHunk, keys: Keys): vscode.CodeLens[] {
  if (placed.hunk.state === "conflict") {
    return [
      lens(vscode.l10n.t("Keep mine"), "pollux.keepMine", vscode.l10n.t("Leave your lines as they are")),
      lens(vscode.l10n.t("Take agent's"), "pollux.takeTheirs", vscode.l10n.t("Replace your lines with the agent's")),
    ];
  }
  return [
    lens(keys.named(vscode.l10n.t("Keep"), "pollux.keepHunk"), "pollux.keepHunk", vscode.l10n.t("Keep this change")),
    lens(keys.named(vscode.l10n.t("Reject"), "pollux.rejectHunk"), "pollux.rejectHunk", refusal(placed)),
  ];
}

function countLens(lens: Lens, placed: PlacedHunk, count: number): vscode.CodeLens {
  return lens(vscode.l10n.t("{0} of {1}", placed.position, count), "pollux.openOriginal", vscode.l10n.t("Compare with the original"));
}

function refusal({ hunk }: PlacedHunk): string {
  return hunk.state === "proposed" ? vscode.l10n.t("Leave the lines as they are") : vscode.l10n.t("Take this change back");
}

function hiddenWords({ hunk }: PlacedHunk, lines: number): string {
  return hunk.state === "pending" ? vscode.l10n.t("Show {0} removed lines", lines) : vscode.l10n.t("Show {0} new lines", lines);
}
