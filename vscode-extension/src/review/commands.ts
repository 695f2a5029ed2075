// The commands of the review. Each can be run from a key, a menu, a lens or a row of the tree.
import * as vscode from "vscode";
import type { ChangeNode } from "./tree";
import { say, type Decisions } from "./decisions";
import type { HunkName, HunkStore, PlacedHunk } from "./hunks";
import { firstWords } from "./lines";
import { fileBehind } from "./originals";
import { compareFile, cursorPlace, isOnDisk, peekHunk, showLine, spelled } from "./places";
import type { Review, TurnName } from "./review";

/** A lens hands over a hunk, a link its name, the tree a row, a menu the file, a key nothing. */
type Target = PlacedHunk | HunkName | ChangeNode | vscode.Uri | undefined;

export interface CommandParts {
  review: Review;
  decisions: Decisions;
  store: HunkStore;
  lastTurn: () => TurnName | undefined;
  /** Where a person was taken last. The button of the walkthrough means that hunk, and no file is in front then. */
  lastPlace?: { uri: string; line: number };
}

export function registerReviewCommands(parts: CommandParts): vscode.Disposable {
  const { review, decisions, store } = parts;
  const commands: Record<string, (target?: Target) => unknown> = {
    "pollux.keepHunk": (target) => decide(parts, target, "pollux.hunk.keep"),
    "pollux.rejectHunk": (target) => decide(parts, target, "pollux.hunk.reject"),
    "pollux.keepMine": (target) => decide(parts, target, "pollux.conflict.mine"),
    "pollux.takeTheirs": (target) => decide(parts, target, "pollux.conflict.theirs"),
    "pollux.keepFile": (target) => decideFile(parts, target, "pollux.file.keep"),
    "pollux.rejectFile": (target) => decideFile(parts, target, "pollux.file.reject"),
    "pollux.keepAll": () => review.keepAll(),
    "pollux.rejectAll": () => review.rejectAll(),
    "pollux.nextHunk": () => go(parts, "pollux.hunk.next"),
    "pollux.previousHunk": () => go(parts, "pollux.hunk.previous"),
    "pollux.undoDecision": () => decisions.run("pollux.review.undo"),
    "pollux.redoDecision": () => decisions.run("pollux.review.redo"),
    "pollux.undoTurn": () => ofLastTurn(parts, (turn) => review.undoTurn(turn)),
    "pollux.redoTurn": () => ofLastTurn(parts, (turn) => decisions.run("pollux.turn.redo", { ...turn })),
    "pollux.reviewTurn": () => ofLastTurn(parts, (turn) => review.reviewTurn(turn)),
    "pollux.reviewAll": () => review.reviewAll(),
    "pollux.openOriginal": (target) => openOriginal(store, target),
    "pollux.peekHunk": (target) => peek(store, target),
    "pollux.showHunk": (target) => show(store, target),
    "pollux.commentHunk": (target) => comment(store, target),
    "pollux.applyAgain": (target) => applyAgain(decisions, target),
  };
  return vscode.Disposable.from(
    ...Object.entries(commands).map(([name, run]) => vscode.commands.registerCommand(name, run)),
  );
}

type Decision = "pollux.hunk.keep" | "pollux.hunk.reject" | "pollux.conflict.mine" | "pollux.conflict.theirs";

async function decide(parts: CommandParts, target: Target, command: Decision): Promise<void> {
  const { store, lastPlace } = parts;
  const visited = lastPlace && vscode.window.activeTextEditor === undefined ? store.at(lastPlace.uri, lastPlace.line, Infinity) : undefined;
  const placed = hunkOf(store, target) ?? visited;
  if (placed !== undefined) await decideOne(parts, placed, command);
  else if (target !== undefined) say(vscode.l10n.t("This has just changed: look again and decide."));
  else say(vscode.l10n.t("There is no change of the agent in this line."));
}

/** A conflict has two sides, and to keep could mean either. To reject it leaves a person's own lines as they are. */
async function decideOne({ store, decisions }: CommandParts, placed: PlacedHunk, command: Decision): Promise<void> {
  const isConflict = placed.hunk.state === "conflict";
  if (isConflict && command === "pollux.hunk.keep") {
    const side = await askSide(placed);
    if (side === "compare") await compareFile(store, placed.uri, placed);
    else if (side !== undefined) await decisions.decide(side, placed);
  } else if (isConflict) {
    await decisions.decide(command === "pollux.conflict.theirs" ? command : "pollux.conflict.mine", placed);
  } else if (command === "pollux.hunk.keep" || command === "pollux.hunk.reject") {
    await decisions.decide(command, placed);
  } else {
    say(vscode.l10n.t("There is no conflict in this line."));
  }
}

async function askSide({ hunk }: PlacedHunk): Promise<Decision | "compare" | undefined> {
  const sides: (vscode.QuickPickItem & { side: Decision | "compare" })[] = [
    { label: vscode.l10n.t("Keep mine"), description: firstWords(hunk.removed), side: "pollux.conflict.mine" },
    { label: vscode.l10n.t("Take agent's"), description: firstWords(hunk.added), side: "pollux.conflict.theirs" },
    { label: vscode.l10n.t("Compare"), side: "compare" },
  ];
  const placeHolder = vscode.l10n.t("You and the agent changed the same lines. Which are to stand?");
  return (await vscode.window.showQuickPick(sides, { placeHolder }))?.side;
}

async function decideFile({ decisions, store }: CommandParts, target: Target, command: string): Promise<void> {
  const uri = fileOf(store, target);
  if (uri === undefined) say(vscode.l10n.t("No file is open."));
  else await decisions.run(command, { uri });
}

/** The server knows the order across files, and where the last one leads on to the first. */
async function go(parts: CommandParts, command: string): Promise<void> {
  const { decisions, store } = parts;
  const cursor = cursorPlace(store);
  const first = store.files[0]?.uri;
  const here = cursor !== undefined && vscode.Uri.parse(cursor.uri).scheme === "file" ? cursor : first && { uri: first, line: 0 };
  if (!here) {
    say(vscode.l10n.t("Nothing is left to review."));
    return;
  }
  const answer = await decisions.run(command, { uri: here.uri, line: here.line });
  if (answer?.uri === undefined) return;
  parts.lastPlace = { uri: spelled(answer.uri), line: answer.line ?? 0 };
  await showLine(store, answer.uri, answer.line ?? 0);
}

async function ofLastTurn({ lastTurn }: CommandParts, act: (turn: TurnName) => unknown): Promise<void> {
  const turn = lastTurn();
  if (turn === undefined) say(vscode.l10n.t("There is no turn yet."));
  else await act(turn);
}

async function openOriginal(store: HunkStore, target: Target): Promise<void> {
  const uri = fileOf(store, target);
  if (uri === undefined) {
    say(vscode.l10n.t("No file is open."));
    return;
  }
  await compareFile(store, uri, hunkOf(store, target));
}

async function show(store: HunkStore, target: Target): Promise<void> {
  if (target !== undefined && "hunk" in target && "first" in target) await showLine(store, target.uri, target.first);
  else say(chooseInTheList());
}

async function peek(store: HunkStore, target: Target): Promise<void> {
  const placed = hunkOf(store, target);
  if (placed === undefined) say(vscode.l10n.t("There is no change of the agent in this line."));
  else await peekHunk(store, placed);
}

/** The box for the comment opens where the cursor is. */
async function comment(store: HunkStore, target: Target): Promise<void> {
  const placed = hunkOf(store, target);
  if (placed === undefined) {
    say(vscode.l10n.t("There is no change of the agent in this line."));
    return;
  }
  if (!(await isOnDisk(vscode.Uri.parse(placed.uri)))) {
    say(vscode.l10n.t("This file is not on the disk: say it in the chat."));
    return;
  }
  await showLine(store, placed.uri, Math.max(placed.first, placed.last - 1));
  await vscode.commands.executeCommand("workbench.action.addComment");
}

async function applyAgain(decisions: Decisions, target: Target): Promise<void> {
  const id = target !== undefined && "kind" in target && target.kind === "rejected" ? target.hunk.id : await askRejected(decisions);
  if (id !== undefined) await decisions.run("pollux.hunk.reapply", { id });
}

/** The newest first. */
async function askRejected(decisions: Decisions): Promise<number | undefined> {
  const rejected = await decisions.rejected();
  if (rejected.length === 0) {
    say(vscode.l10n.t("Nothing is rejected."));
    return undefined;
  }
  const items = rejected.toReversed().map(({ id, path, line, added, removed }) => ({
    label: firstWords(added) || firstWords(removed),
    description: `${path}:${line + 1}`,
    id,
  }));
  const placeHolder = vscode.l10n.t("Which rejected change is to be made after all?");
  return (await vscode.window.showQuickPick(items, { placeHolder, matchOnDescription: true }))?.id;
}

/** For what has a button in each row and means nothing without one; somebody may have given it a key. */
function chooseInTheList(): string {
  return vscode.l10n.t("Choose a change in the list of changes.");
}

function hunkOf(store: HunkStore, target: Target): PlacedHunk | undefined {
  if (target !== undefined && "kind" in target) return target.kind === "hunk" ? target.placed : undefined;
  if (target !== undefined && "revision" in target) return "hunk" in target ? target : store.named(target);
  return cursorPlace(store)?.placed;
}

function fileOf(store: HunkStore, target: Target): string | undefined {
  if (target instanceof vscode.Uri) return fileBehind(store, target)?.uri ?? target.toString();
  if (target !== undefined && "kind" in target) {
    if (target.kind === "file") return target.file.uri;
    return target.kind === "hunk" ? target.placed.uri : undefined;
  }
  if (target !== undefined && "revision" in target) return target.uri;
  return cursorPlace(store)?.uri;
}
