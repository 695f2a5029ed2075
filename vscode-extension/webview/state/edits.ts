// Edits: which files, how many lines, and what was decided about their hunks.
import type { HunkDecision, ProposedEdit } from "../../src/protocol";
import type { EventOf } from "../../src/chat/messages";
import type { EditedFile, EditOfFile, EditsRow, Session } from "./model";
import { add, countLines, lastShown, touch } from "./rows";

export function edited(session: Session, edit: ProposedEdit, state: "proposed" | "made"): void {
  const call = session.index.calls.get(edit.call);
  if (call) {
    call.replaced = true;
    touch(call);
  }
  const known = session.index.proposals.get(edit.proposal);
  if (known) {
    // A proposal may come again as made.
    if (state === "made" && !known.answered) {
      known.file.pending += known.file.proposed;
      known.file.proposed = 0;
      touch(known.row);
    }
    return;
  }
  const instead = state === "made" ? takeBack(session, edit) : undefined;
  const within = call?.within;
  const last = instead ?? lastShown(session, within);
  const row =
    last?.kind === "edits" && last.turn === session.running ? last : add<EditsRow>(session, { kind: "edits", files: [] }, { within });
  let file = row.files.find((other) => other.path === edit.path);
  if (!file) {
    file = emptyFile(edit);
    row.files.push(file);
  }
  const made: EditOfFile = { row, file, edit, answered: false };
  if (state === "proposed") file.proposed += places(edit);
  else if (session.mode === "yolo" || instead) agree(made, places(edit));
  else file.pending += places(edit);
  countIn(file, edit, 1);
  session.index.proposals.set(edit.proposal, made);
  const place = fileKey(row.turn, edit.path);
  session.index.files.set(place, { row, file, contested: session.index.files.get(place)?.contested ?? [] });
  touch(row);
}

/** What there is to decide about. An empty file has no hunks, and is kept or rejected all the same. */
function places({ hunks }: ProposedEdit): number {
  return Math.max(hunks.length, 1);
}

function emptyFile({ path, hunks }: ProposedEdit): EditedFile {
  const line = hunks[0]?.line ?? 0;
  return { path, line, added: 0, removed: 0, proposed: 0, pending: 0, conflicts: 0, kept: 0, rejected: 0, agreed: 0, declined: 0 };
}

/** A person wrote something else than was proposed, and that stands now. Gives back where. */
function takeBack(session: Session, { call }: ProposedEdit): EditsRow | undefined {
  const before = [...session.index.proposals.values()].find((other) => other.edit.call === call && other.answered);
  if (!before) return undefined;
  before.file.agreed = Math.max(0, before.file.agreed - places(before.edit));
  countIn(before.file, before.edit, -1);
  return before.row;
}

function agree(made: EditOfFile, hunks: number): void {
  made.answered = true;
  made.file.agreed += hunks;
}

function countIn(file: EditedFile, { hunks }: ProposedEdit, sign: 1 | -1): void {
  for (const hunk of hunks) {
    file.added += sign * countLines(hunk.added);
    file.removed += sign * countLines(hunk.removed);
  }
}

/** The answer to a proposed edit. What was kept is in the file now, and no longer pending. */
export function decided(session: Session, proposal: number, decisions: HunkDecision[]): void {
  const made = session.index.proposals.get(proposal);
  if (!made) return;
  const kept = decisions.filter((decision) => decision === "keep").length;
  made.file.proposed = Math.max(0, made.file.proposed - decisions.length);
  made.file.declined += decisions.length - kept;
  agree(made, kept);
  touch(made.row);
}

/** Agreed to or not: these lines are not in the file, because a person had changed them meanwhile. */
export function contested(session: Session, { proposal, conflicts }: EventOf<"editContested">): void {
  const made = session.index.proposals.get(proposal);
  if (!made) return;
  const { file, row } = made;
  file.conflicts += conflicts;
  if (made.answered) file.agreed = Math.max(0, file.agreed - conflicts);
  else file.pending = Math.max(0, file.pending - conflicts);
  const question = session.index.asked.get(proposal);
  if (question) {
    question.conflict = "open";
    session.index.files.get(fileKey(row.turn, file.path))?.contested.push(question);
    touch(question);
  }
  touch(row);
}

/** The review tells how things stand; that replaces what was counted here. What was agreed to beforehand it does not count. */
export function hunksDecided(session: Session, event: EventOf<"hunksDecided">): void {
  const found = session.index.files.get(fileKey(event.turn, event.path));
  if (!found) return;
  const { file, row } = found;
  file.kept = event.kept;
  file.rejected = event.rejected;
  file.pending = event.pending - event.conflicts;
  file.conflicts = event.conflicts;
  for (const question of found.contested) {
    question.conflict = event.conflicts > 0 ? "open" : "settled";
    touch(question);
  }
  touch(row);
}

function fileKey(turn: number, path: string): string {
  return `${turn}\n${path}`;
}
