// What of the editor's state the server has not been told yet.
import type { EditorStateParams } from "../protocol";

export type EditorState = Required<Pick<EditorStateParams, "activeFile" | "openFiles" | "trusted" | "diagnostics" | "problems">>;

/** Only the fields that differ; `undefined` when none does. */
export function changesSince(told: Partial<EditorState>, now: EditorState): EditorStateParams | undefined {
  const changes: EditorStateParams = {};
  if (differs(told.activeFile, now.activeFile)) changes.activeFile = now.activeFile;
  if (differs(told.openFiles, now.openFiles)) changes.openFiles = now.openFiles;
  if (differs(told.trusted, now.trusted)) changes.trusted = now.trusted;
  if (differs(told.diagnostics ?? [], now.diagnostics)) changes.diagnostics = now.diagnostics;
  if (differs(told.problems ?? [], now.problems)) changes.problems = now.problems;
  return Object.keys(changes).length === 0 ? undefined : changes;
}

/** All of it is plain data whose fields are always written in the same order. */
function differs(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) !== JSON.stringify(other);
}
