// What the editor shows, in the few words that fit on a chip.
import * as vscode from "vscode";
import { contextRules } from "./contextRules";
import type { EditorContext } from "./messages";

export function editorContext(): EditorContext {
  const editor = vscode.window.activeTextEditor;
  const rules = contextRules();
  if (editor?.document.uri.scheme !== "file") return { rules, openFiles: openFiles(undefined), examples: examples(undefined, "nothing") };
  const name = editor.document.uri.path.slice(editor.document.uri.path.lastIndexOf("/") + 1);
  const problems = vscode.languages.getDiagnostics(editor.document.uri).filter(({ severity }) => severity <= vscode.DiagnosticSeverity.Warning).length;
  const selection = editor.selection;
  return {
    activeFile: name,
    ...(selection.isEmpty ? {} : { selection: `${name} ${lines(selection)}` }),
    openFiles: openFiles(editor.document.uri),
    problems,
    rules,
    examples: examples(name, selection.isEmpty ? "nothing" : "lines"),
  };
}

/** As many as have a tab, without the one in front. */
function openFiles(active: vscode.Uri | undefined): number {
  const inputs = vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs.map(({ input }) => input));
  const files = new Set(inputs.flatMap((input) => (input instanceof vscode.TabInputText && input.uri.scheme === "file" ? [input.uri.toString()] : [])));
  if (active !== undefined) files.delete(active.toString());
  return files.size;
}

function lines(selection: vscode.Selection): string {
  const first = selection.start.line + 1;
  // A selection that ends at the start of a line does not mean that line.
  const last = selection.end.character === 0 && selection.end.line > selection.start.line ? selection.end.line : selection.end.line + 1;
  return first === last ? String(first) : `${first}–${last}`;
}

function examples(name: string | undefined, selected: "nothing" | "lines"): string[] {
  const { t } = vscode.l10n;
  if (name === undefined) {
    return [t("What does this project do?"), t("Where does it start, and what happens then?"), t("Find a bug that the tests miss")];
  }
  return [
    selected === "lines" ? t("Explain the selected lines") : t("Explain {0}", name),
    t("Find a bug in {0}", name),
    selected === "lines" ? t("Write a test for the selected lines") : t("Write a test for {0}", name),
  ];
}
