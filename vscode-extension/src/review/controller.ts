// The review in the editor, put together from its parts.
import * as vscode from "vscode";
import type { HunkDecision } from "../protocol";
import type { Server } from "../server/server";
import { Comments } from "./comments";
import { registerReviewCommands } from "./commands";
import { Contexts } from "./contexts";
import { Decisions, say } from "./decisions";
import { Decorations } from "./decorations";
import { Drafts, type KeepText } from "./drafts";
import { HunkHovers } from "./hovers";
import { HunkStore, type PlacedHunk } from "./hunks";
import type { Keys } from "./keys";
import { HunkLenses } from "./lenses";
import { Originals } from "./originals";
import { compareAll, showLine, spelled } from "./places";
import { RejectedTexts } from "./rejected";
import { Revealing, type RunningTurn } from "./revealing";
import type { PendingCount, Review, TurnName } from "./review";
import { TurnKeeper } from "./reviewMode";
import { reviewMode } from "./settings";
import type { TextChange } from "./shifting";
import { ChangesTree } from "./tree";

/** What of the sessions the review goes by. */
interface Turns extends RunningTurn {
  readonly lastTurn: TurnName | undefined;
}

export class ReviewController implements Review, vscode.Disposable {
  readonly #store = new HunkStore();
  readonly #decisions: Decisions;
  readonly #drafts: Drafts;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#changed.event;
  readonly #owned: vscode.Disposable[];

  constructor(server: Server, keys: Keys, turns: Turns) {
    const store = this.#store;
    const decisions = new Decisions(server, store);
    this.#decisions = decisions;
    this.#drafts = new Drafts(keys);
    const keeper = new TurnKeeper(server, reviewMode, say);
    this.#owned = [
      this.#changed,
      this.#drafts,
      new Decorations(store),
      new HunkLenses(store, keys),
      new HunkHovers(store, keys),
      new Originals(server, store),
      new Contexts(store),
      new ChangesTree(server, store),
      new RejectedTexts(server),
      new Comments(store, decisions),
      new Revealing(store, turns),
      registerReviewCommands({ review: this, decisions, store, lastTurn: () => turns.lastTurn }),
      server.on("pollux/sessionEvents", (message) => keeper.hear(message)),
      { dispose: store.watch(() => this.#changed.fire()) },
      server.on("pollux/hunks", (message) => store.replace({ ...message, uri: spelled(message.uri) })),
      server.onDidChangeState((state) => {
        // The next server says everything anew.
        if (state.kind !== "ready") store.clear();
      }),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (document.uri.scheme !== "file" || contentChanges.length === 0) return;
        store.edited(document.uri.toString(), document.version, contentChanges.map(asTextChange));
      }),
      vscode.workspace.onDidCloseTextDocument((document) => store.closed(document.uri.toString())),
    ];
  }

  get pending(): PendingCount {
    return { hunks: this.#store.count, files: this.#store.files.length };
  }

  async reveal(uri: string, line = 0): Promise<void> {
    const first = this.#store.file(spelled(uri))?.hunks[0];
    await showLine(this.#store, uri, first?.first ?? line);
  }

  async open(uri: string, line?: number): Promise<void> {
    await showLine(this.#store, uri, line);
  }

  uriOf(path: string): string | undefined {
    return this.#store.files.find((file) => file.path === path)?.uri;
  }

  async reviewTurn(turn: TurnName): Promise<void> {
    const shown = await compareAll(this.#store, turn);
    if (shown === 0) say(vscode.l10n.t("Nothing of this turn is left to review."));
  }

  async reviewAll(): Promise<void> {
    const shown = await compareAll(this.#store);
    if (shown === 0) say(vscode.l10n.t("Nothing is left to review."));
  }

  async keepAll(turn?: TurnName): Promise<void> {
    await this.#decisions.run("pollux.all.keep", turn === undefined ? {} : { ...turn });
  }

  async rejectAll(turn?: TurnName): Promise<void> {
    await this.#decisions.run("pollux.all.reject", turn === undefined ? {} : { ...turn });
  }

  async decideFile(path: string, { session, turn }: TurnName, decision: HunkDecision): Promise<void> {
    const file = this.#store.files.find((candidate) => candidate.path === path);
    const own = (file?.hunks ?? []).filter(({ hunk }) => hunk.session === session && hunk.turn === turn);
    // One after the other: each decision gives the others new names.
    for (const placed of own) await this.decideHunk(placed, decision);
  }

  async undoTurn(turn: TurnName): Promise<void> {
    await this.#decisions.run("pollux.turn.undo", { ...turn });
  }

  proposedIn(path: string): readonly PlacedHunk[] {
    const file = this.#store.files.find((candidate) => candidate.path === path);
    return (file?.hunks ?? []).filter(({ hunk }) => hunk.state === "proposed");
  }

  async decideHunk(placed: PlacedHunk, decision: HunkDecision): Promise<void> {
    await this.#decisions.decide(`pollux.hunk.${decision}`, placed);
  }

  async draft(name: string, hunks: readonly PlacedHunk[], keep: KeepText): Promise<void> {
    await this.#drafts.open(name, hunks, keep);
  }

  dispose(): void {
    for (const owned of this.#owned) owned.dispose();
  }
}

function asTextChange({ range, text }: vscode.TextDocumentContentChangeEvent): TextChange {
  return {
    startLine: range.start.line,
    endLine: range.end.line,
    endsAtLineStart: range.end.character === 0,
    addedLines: text.split("\n").length - 1,
  };
}
