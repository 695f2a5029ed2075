// What the server asks about code. The language extensions of this window answer; nothing is shown, and nothing edited.
import * as vscode from "vscode";
import type { EditedFile, EditorAnswer, EditorQueryParams, PlaceInFile, Range } from "../protocol";
import { openDocument } from "./documents";

/** Nobody reads more. */
const MOST_PLACES = 1000;

export async function answerQuery({ uri, position, query }: EditorQueryParams): Promise<EditorAnswer> {
  const file = vscode.Uri.parse(uri);
  const at = new vscode.Position(position.line, position.character);
  try {
    // Language extensions know documents, which need no tab.
    await vscode.workspace.openTextDocument(file);
    switch (query.kind) {
      case "definition":
        return places(await ask<Found[]>("vscode.executeDefinitionProvider", file, at));
      case "references":
        return places(await ask<Found[]>("vscode.executeReferenceProvider", file, at));
      case "rename": {
        const before = new Map(vscode.workspace.textDocuments.map((document) => [document.uri.toString(), document.version]));
        return edits(await ask<vscode.WorkspaceEdit>("vscode.executeDocumentRenameProvider", file, at, query.newName), before);
      }
    }
  } catch (error) {
    return { kind: "refused", reason: error instanceof Error ? error.message : String(error) };
  }
}

type Found = vscode.Location | vscode.LocationLink;

function ask<Result>(command: string, ...rest: unknown[]): Thenable<Result | undefined> {
  return vscode.commands.executeCommand<Result | undefined>(command, ...rest);
}

function places(found: readonly Found[] | undefined): EditorAnswer {
  return { kind: "places", places: (found ?? []).slice(0, MOST_PLACES).map(place) };
}

function place(found: Found): PlaceInFile {
  return "targetUri" in found
    ? { uri: found.targetUri.toString(), range: plain(found.targetSelectionRange ?? found.targetRange) }
    : { uri: found.uri.toString(), range: plain(found.range) };
}

/** What was typed since the question makes the edits stale: they name the version that they were asked for. */
function edits(edit: vscode.WorkspaceEdit | undefined, before: ReadonlyMap<string, number>): EditorAnswer {
  const files = (edit?.entries() ?? []).map(([file, all]): EditedFile => {
    const uri = file.toString();
    const version = before.get(uri) ?? openDocument(uri)?.version;
    const changes = all.map(({ range, newText }) => ({ range: plain(range), newText }));
    return { uri, edits: changes, ...(version === undefined ? {} : { version }) };
  });
  return { kind: "edits", files };
}

/** The editor's own ranges become arrays on the wire. */
function plain({ start, end }: vscode.Range): Range {
  return {
    start: { line: start.line, character: start.character },
    end: { line: end.line, character: end.character },
  };
}
