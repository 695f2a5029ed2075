// Tells the server what the person looks at: only what has changed, and only when things are quiet.
import * as vscode from "vscode";
import type { ActiveFile, DiagnosticCounts, EditorProblem, Range } from "../protocol";
import { changesSince, type EditorState } from "./editorChanges";
import { chosenProblems } from "./problems";
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
  #problems: EditorProblem[] = [];
  #diagnosticsMoved = true;
  readonly #owned: vscode.Disposable[];

  constructor(private readonly server: Server) {
    const soon = (): void => this.#soon();
    this.#owned = [
      vscode.window.onDidChangeActiveTextEditor(soon),
      vscode.window.tabGroups.onDidChangeTabs(soon),
      vscode.window.tabGroups.onDidChangeTabGroups(soon),
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
      const all = vscode.languages.getDiagnostics();
      this.#diagnostics = countDiagnostics(all);
      this.#problems = problemsIn(all);
      this.#diagnosticsMoved = false;
    }
    const active = activeFile();
    const now: EditorState = {
      activeFile: active,
      openFiles: openFiles(active?.uri),
      trusted: vscode.workspace.isTrusted,
      diagnostics: this.#diagnostics,
      problems: chosenProblems(this.#problems, active?.uri),
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

/** What the tabs show: a document may stay in memory long after its tab is closed. The one in front comes first. */
function openFiles(active: string | undefined): string[] {
  const files = new Set<string>(active === undefined ? [] : [active]);
  for (const group of vscode.window.tabGroups.all) {
    for (const { input } of group.tabs) {
      const uri = input instanceof vscode.TabInputText ? input.uri : input instanceof vscode.TabInputTextDiff ? input.modified : undefined;
      if (uri?.scheme === "file") files.add(uri.toString());
    }
  }
  return [...files];
}

/** Enough to choose from, however many a build has found. */
const MOST_LOOKED_AT = 5_000;

function problemsIn(all: [vscode.Uri, vscode.Diagnostic[]][]): EditorProblem[] {
  const problems: EditorProblem[] = [];
  for (const [uri, diagnostics] of all) {
    if (uri.scheme !== "file") continue;
    for (const { range, severity, message } of diagnostics) {
      if (severity > vscode.DiagnosticSeverity.Warning || problems.length >= MOST_LOOKED_AT) continue;
      const kind = severity === vscode.DiagnosticSeverity.Error ? "error" : "warning";
      problems.push({ uri: uri.toString(), line: range.start.line, severity: kind, message });
    }
  }
  return problems;
}

function countDiagnostics(all: [vscode.Uri, vscode.Diagnostic[]][]): DiagnosticCounts[] {
  const counts: DiagnosticCounts[] = [];
  for (const [uri, diagnostics] of all) {
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
