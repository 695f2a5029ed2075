// Tells the server what the person looks at: only what has changed, and only when things are quiet.
import * as vscode from "vscode";
import type { ActiveFile, DiagnosticCounts, Range } from "../protocol";
import { changesSince, type EditorState } from "./editorChanges";
import type { Server } from "./server";

const QUIET_MS = 100;
/** Somebody who scrolls for a minute is still told of now and then. */
const LONGEST_MS = 500;

const NAMES = ["errors", "warnings", "information", "hints"] as const;

export class EditorStream implements vscode.Disposable {
  #told: Partial<EditorState> = {};
  #quiet: NodeJS.Timeout | undefined;
  #longest: NodeJS.Timeout | undefined;
  /** Counting every problem of a large workspace is not for every move of the cursor. */
  #diagnostics: DiagnosticCounts[] = [];
  #diagnosticsMoved = true;
  readonly #owned: vscode.Disposable[];

  constructor(private readonly server: Server) {
    const soon = (): void => this.#soon();
    this.#owned = [
      vscode.window.onDidChangeActiveTextEditor(soon),
      vscode.window.onDidChangeTextEditorSelection(soon),
      vscode.window.onDidChangeTextEditorVisibleRanges(soon),
      vscode.workspace.onDidGrantWorkspaceTrust(soon),
      vscode.languages.onDidChangeDiagnostics(() => {
        this.#diagnosticsMoved = true;
        this.#soon();
      }),
      server.onDidChangeState((state) => {
        // A server that is started again knows nothing.
        this.#told = {};
        if (state.kind === "ready") this.#flush();
      }),
    ];
  }

  dispose(): void {
    clearTimeout(this.#quiet);
    clearTimeout(this.#longest);
    for (const owned of this.#owned) owned.dispose();
  }

  #soon(): void {
    clearTimeout(this.#quiet);
    this.#quiet = setTimeout(() => this.#flush(), QUIET_MS);
    this.#longest ??= setTimeout(() => this.#flush(), LONGEST_MS);
  }

  #flush(): void {
    clearTimeout(this.#quiet);
    clearTimeout(this.#longest);
    this.#longest = undefined;
    if (this.server.state.kind !== "ready") return;
    if (this.#diagnosticsMoved) {
      this.#diagnostics = countDiagnostics();
      this.#diagnosticsMoved = false;
    }
    const now: EditorState = {
      activeFile: activeFile(),
      trusted: vscode.workspace.isTrusted,
      diagnostics: this.#diagnostics,
    };
    const changes = changesSince(this.#told, now);
    this.#told = now;
    if (changes !== undefined) this.server.notify("pollux/editorState", changes);
  }
}

/** Only files count: an output channel or the other side of a diff is nothing to work on. */
function activeFile(): ActiveFile | null {
  const editor = vscode.window.activeTextEditor;
  if (editor?.document.uri.scheme !== "file") return null;
  return {
    uri: editor.document.uri.toString(),
    cursor: { line: editor.selection.active.line, character: editor.selection.active.character },
    selections: editor.selections.filter((selection) => !selection.isEmpty).map(asRange),
    visibleRanges: editor.visibleRanges.map(asRange),
  };
}

function countDiagnostics(): DiagnosticCounts[] {
  const counts: DiagnosticCounts[] = [];
  for (const [uri, diagnostics] of vscode.languages.getDiagnostics()) {
    if (uri.scheme !== "file" || diagnostics.length === 0) continue;
    const entry: DiagnosticCounts = { uri: uri.toString() };
    for (const { severity } of diagnostics) {
      const name = NAMES[severity];
      entry[name] = (entry[name] ?? 0) + 1;
    }
    counts.push(entry);
  }
  return counts.sort((one, other) => (one.uri < other.uri ? -1 : 1));
}

function asRange({ start, end }: vscode.Range): Range {
  return {
    start: { line: start.line, character: start.character },
    end: { line: end.line, character: end.character },
  };
}
