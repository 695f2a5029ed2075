// What the server asks of documents: save them, or send them whole.
import * as vscode from "vscode";

/**
 * Files that are not open any more were saved or thrown away by the person: nothing is left to do. Whether one is dirty
 * is not asked here: after a save the host calls it clean, also when it was edited while it was written.
 */
export async function saveDocuments(uris: readonly string[]): Promise<string[]> {
  const wanted = new Set(uris.map((uri) => vscode.Uri.parse(uri).toString()));
  const open = vscode.workspace.textDocuments.filter((document) => wanted.has(document.uri.toString()));
  const saved = await Promise.all(open.map((document) => document.save()));
  return open.filter((_, place) => saved[place] !== true).map((document) => document.uri.toString());
}

export function openDocument(uri: string): vscode.TextDocument | undefined {
  const wanted = vscode.Uri.parse(uri).toString();
  return vscode.workspace.textDocuments.find((document) => document.uri.toString() === wanted);
}
