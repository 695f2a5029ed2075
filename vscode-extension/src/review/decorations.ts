// Draws hunks into the visible editors. Only colours of the theme, and never a change to the text.
import * as vscode from "vscode";
import type { HunkStore, PlacedHunk } from "./hunks";
import { marksOf, type Ghost, type LineMark } from "./marks";

const color = (id: string): vscode.ThemeColor => new vscode.ThemeColor(id);

/** High contrast knows no backgrounds: there lines are framed, by colours that other themes leave out. */
function frame(border: string): vscode.DecorationRenderOptions {
  return { outlineStyle: "dashed", outlineWidth: "1px", outlineColor: color(border) };
}

function wholeLine(background: string, bar: string, ruler: string, border: string): vscode.DecorationRenderOptions {
  return {
    ...frame(border),
    isWholeLine: true,
    backgroundColor: color(background),
    // The line's own left edge: the gutter takes pictures only, which know no theme.
    borderStyle: "solid",
    borderWidth: "0 0 0 3px",
    borderColor: color(bar),
    overviewRulerColor: color(ruler),
    overviewRulerLane: vscode.OverviewRulerLane.Left,
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedOpen,
  };
}

const LINE_STYLES: Record<LineMark, vscode.DecorationRenderOptions> = {
  added: wholeLine(
    "diffEditor.insertedLineBackground",
    "editorGutter.addedBackground",
    "editorOverviewRuler.addedForeground",
    "diffEditor.insertedTextBorder",
  ),
  changed: wholeLine(
    "diffEditor.insertedLineBackground",
    "editorGutter.modifiedBackground",
    "editorOverviewRuler.modifiedForeground",
    "diffEditor.insertedTextBorder",
  ),
  gap: {
    isWholeLine: true,
    borderStyle: "solid",
    borderWidth: "2px 0 0 0",
    borderColor: color("editorGutter.deletedBackground"),
    overviewRulerColor: color("editorOverviewRuler.deletedForeground"),
    overviewRulerLane: vscode.OverviewRulerLane.Left,
  },
  going: wholeLine(
    "diffEditor.removedLineBackground",
    "editorGutter.deletedBackground",
    "editorOverviewRuler.deletedForeground",
    "diffEditor.removedTextBorder",
  ),
  contested: wholeLine(
    "merge.currentContentBackground",
    "editorWarning.foreground",
    "editorOverviewRuler.currentContentForeground",
    "contrastBorder",
  ),
};

const GHOST_BACKGROUND = {
  removed: "diffEditor.removedTextBackground",
  added: "diffEditor.insertedTextBackground",
} as const;

type Kind = LineMark | "wordAdded" | "wordRemoved" | "ghost";

export class Decorations implements vscode.Disposable {
  readonly #types: Record<Kind, vscode.TextEditorDecorationType>;
  readonly #owned: vscode.Disposable[];

  constructor(private readonly store: HunkStore) {
    const create = vscode.window.createTextEditorDecorationType;
    this.#types = {
      added: create(LINE_STYLES.added),
      changed: create(LINE_STYLES.changed),
      gap: create(LINE_STYLES.gap),
      going: create(LINE_STYLES.going),
      contested: create(LINE_STYLES.contested),
      wordAdded: create({ backgroundColor: color("diffEditor.insertedTextBackground") }),
      wordRemoved: create({ backgroundColor: color("diffEditor.removedTextBackground") }),
      ghost: create({ rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed }),
    };
    const unwatch = store.watch((uri) => this.#redraw(uri));
    this.#owned = [
      ...Object.values(this.#types),
      { dispose: unwatch },
      vscode.window.onDidChangeVisibleTextEditors((editors) => {
        for (const editor of editors) this.#draw(editor);
      }),
      vscode.window.onDidChangeTextEditorViewColumn(({ textEditor }) => this.#draw(textEditor)),
    ];
    for (const editor of vscode.window.visibleTextEditors) this.#draw(editor);
  }

  dispose(): void {
    for (const owned of this.#owned) owned.dispose();
  }

  #redraw(uri: string): void {
    for (const editor of vscode.window.visibleTextEditors) {
      if (editor.document.uri.toString() === uri) this.#draw(editor);
    }
  }

  #draw(editor: vscode.TextEditor): void {
    const hunks = isInDiff(editor) ? [] : (this.store.file(editor.document.uri.toString())?.hunks ?? []);
    const options = decorate(editor.document, hunks);
    for (const [kind, type] of Object.entries(this.#types)) {
      editor.setDecorations(type, options.get(kind as Kind) ?? []);
    }
  }
}

/** A diff shows the same by itself. Its two sides are the editors that stand in no column of their own. */
function isInDiff(editor: vscode.TextEditor): boolean {
  return editor.viewColumn === undefined;
}

function decorate(document: vscode.TextDocument, hunks: readonly PlacedHunk[]): Map<Kind, vscode.DecorationOptions[]> {
  const options = new Map<Kind, vscode.DecorationOptions[]>();
  const put = (kind: Kind, option: vscode.DecorationOptions): void => {
    const list = options.get(kind) ?? [];
    options.set(kind, list);
    list.push(option);
  };
  for (const placed of hunks) {
    const { lines, words, ghosts } = marksOf(placed, document.lineCount);
    const range = document.validateRange(new vscode.Range(lines.first, 0, Math.max(lines.last - 1, lines.first), 0));
    put(lines.mark, { range });
    for (const { line, from, to, side } of words) {
      const kind = side === "added" ? "wordAdded" : "wordRemoved";
      put(kind, { range: document.validateRange(new vscode.Range(line, from, line, to)) });
    }
    for (const ghost of ghosts) put("ghost", ghostOption(document, ghost));
  }
  return options;
}

function ghostOption(document: vscode.TextDocument, ghost: Ghost): vscode.DecorationOptions {
  const end = document.validatePosition(new vscode.Position(ghost.line, Number.MAX_SAFE_INTEGER));
  return {
    range: new vscode.Range(end, end),
    renderOptions: {
      after: {
        // Spaces would be drawn as one.
        contentText: ` ${ghostWords(ghost)} `.replaceAll(/\s/g, "\u00a0"),
        color: color("editorCodeLens.foreground"),
        backgroundColor: color(GHOST_BACKGROUND[ghost.side]),
        margin: "0 0 0 3ch",
        ...(ghost.side === "removed" && ghost.lines === 1 ? { textDecoration: "line-through" } : {}),
      },
    },
  };
}

/** One line is shown itself. Of several one would be mistaken for all, so they are counted. */
function ghostWords({ text, lines, side }: Ghost): string {
  if (lines === 1) return text;
  return side === "removed" ? vscode.l10n.t("{0} lines removed: {1} …", lines, text) : vscode.l10n.t("{0} new lines: {1} …", lines, text);
}
