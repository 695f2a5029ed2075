// What the chat knows of the review: enough to lead a person to it.
import type * as vscode from "vscode";
import type { HunkDecision } from "../protocol";
import type { PlacedHunk } from "./hunks";

/** How many hunks wait for a decision. */
export interface PendingCount {
  hunks: number;
  files: number;
}

/** One turn of a session. */
export interface TurnName {
  session: string;
  turn: number;
}

export interface Review {
  readonly pending: PendingCount;
  readonly onDidChange: vscode.Event<void>;
  /** Opens a file at its first pending hunk, or at the line if nothing is pending. */
  reveal(uri: string, line?: number): Promise<void>;
  /** Opens a file, also one that is not on the disk but in the review. */
  open(uri: string, line?: number): Promise<void>;
  /** The file that is called so in the review. */
  uriOf(path: string): string | undefined;
  /** Opens everything that is pending of a turn as one multi-file diff. */
  reviewTurn(turn: TurnName): Promise<void>;
  /** The same for everything that is pending. */
  reviewAll(): Promise<void>;
  keepAll(turn?: TurnName): Promise<void>;
  rejectAll(turn?: TurnName): Promise<void>;
  /** What of a turn is pending in one file. */
  decideFile(path: string, turn: TurnName, decision: HunkDecision): Promise<void>;
  undoTurn(turn: TurnName): Promise<void>;
  /** The hunks that the agent wants to make in a file, as they are shown there. */
  proposedIn(path: string): readonly PlacedHunk[];
  decideHunk(placed: PlacedHunk, decision: HunkDecision): Promise<void>;
  /** Opens what a file would become with these hunks, to be changed and then kept. */
  draft(name: string, hunks: readonly PlacedHunk[], keep: (content: string) => Promise<void>): Promise<void>;
}
