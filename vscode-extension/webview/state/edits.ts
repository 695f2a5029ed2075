// Edits: which files, how many lines, and what was decided about their hunks.
import type { HunkDecision, ProposedEdit } from "../../src/protocol";
import type { EventOf } from "../../src/chat/messages";
import type { EditedFile, EditsRow, Session } from "./model";
import { add, countLines, lastShown, touch } from "./rows";

export function edited(session: Session, edit: ProposedEdit, state: "proposed" | "made"): void {
  const call = session.index.calls.get(edit.call);
  if (call) {
    call.replaced = true;
    touch(call);
  }
  // A proposal that was agreed to comes again as made.
  const known = session.index.proposals.get(edit.proposal);
  if (known) {
    if (state === "made") {
      known.pending += known.proposed;
      known.proposed = 0;
      touchFile(session, known);
    }
    return;
  }
  const last = lastShown(session);
  const row =
    last?.kind === "edits" && last.turn === session.running ? last : add<EditsRow>(session, { kind: "edits", files: [] });
  let file = row.files.find((other) => other.path === edit.path);
  if (!file) {
    const line = edit.hunks[0]?.line ?? 0;
    file = { path: edit.path, line, added: 0, removed: 0, proposed: 0, pending: 0, kept: 0, rejected: 0 };
    row.files.push(file);
  }
  for (const hunk of edit.hunks) {
    file.added += countLines(hunk.added);
    file.removed += countLines(hunk.removed);
  }
  if (state === "proposed") file.proposed += edit.hunks.length;
  else file.pending += edit.hunks.length;
  session.index.proposals.set(edit.proposal, file);
  session.index.files.set(fileKey(row.turn, edit.path), { row, file });
  touch(row);
}

/** The answer to a proposed edit. What was kept is in the file now, and no longer pending. */
export function decided(session: Session, proposal: number, decisions: HunkDecision[]): void {
  const file = session.index.proposals.get(proposal);
  if (!file) return;
  const kept = decisions.filter((decision) => decision === "keep").length;
  file.proposed = Math.max(0, file.proposed - decisions.length);
  file.kept += kept;
  file.rejected += decisions.length - kept;
  touchFile(session, file);
}

/** The review tells how things stand; that replaces what was counted here. */
export function hunksDecided(session: Session, event: EventOf<"hunksDecided">): void {
  const found = session.index.files.get(fileKey(event.turn, event.path));
  if (!found) return;
  found.file.kept = event.kept;
  found.file.rejected = event.rejected;
  found.file.pending = event.pending;
  touch(found.row);
}

function touchFile(session: Session, file: EditedFile): void {
  for (const found of session.index.files.values()) {
    if (found.file === file) return touch(found.row);
  }
}

function fileKey(turn: number, path: string): string {
  return `${turn}\n${path}`;
}
