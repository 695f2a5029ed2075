// The list of what waits for a decision, and of what was rejected and can be had again.
import * as vscode from "vscode";
import type { PendingHunk, RejectedHunk } from "../protocol";
import type { Server } from "../server/server";
import type { HunkStore, PendingFile, PlacedHunk } from "./hunks";
import { countLines, firstWords } from "./lines";
import { SHOW_REJECTED } from "./rejected";

export type ChangeNode =
  | { kind: "file"; file: PendingFile }
  | { kind: "hunk"; placed: PlacedHunk }
  | { kind: "rejectedGroup" }
  | { kind: "rejected"; hunk: RejectedHunk };

/** The server is asked once for many decisions that come close together. */
const QUIET_MS = 150;

export class ChangesTree implements vscode.TreeDataProvider<ChangeNode>, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #view: vscode.TreeView<ChangeNode>;
  readonly #owned: vscode.Disposable[];
  #rejected: readonly RejectedHunk[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly server: Server,
    private readonly store: HunkStore,
  ) {
    this.#view = vscode.window.createTreeView("pollux.changes", { treeDataProvider: this, showCollapseAll: true });
    const unwatch = store.watch(() => this.#soon());
    this.#owned = [
      this.#changed,
      this.#view,
      { dispose: unwatch },
      { dispose: () => clearTimeout(this.#timer) },
      server.onDidChangeState(() => this.#soon()),
    ];
  }

  getChildren(node?: ChangeNode): ChangeNode[] {
    if (node === undefined) {
      const files = this.store.files.map((file): ChangeNode => ({ kind: "file", file }));
      return this.#rejected.length === 0 ? files : [...files, { kind: "rejectedGroup" }];
    }
    if (node.kind === "file") return node.file.hunks.map((placed) => ({ kind: "hunk", placed }));
    if (node.kind === "rejectedGroup") {
      return this.#rejected.toReversed().map((hunk) => ({ kind: "rejected", hunk }));
    }
    return [];
  }

  getTreeItem(node: ChangeNode): vscode.TreeItem {
    switch (node.kind) {
      case "file":
        return fileItem(node.file);
      case "hunk":
        return hunkItem(node.placed);
      case "rejectedGroup":
        return groupItem(this.#rejected.length);
      case "rejected":
        return rejectedItem(node.hunk);
    }
  }

  dispose(): void {
    for (const owned of this.#owned) owned.dispose();
  }

  #soon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#refresh(), QUIET_MS);
  }

  async #refresh(): Promise<void> {
    const count = this.store.count;
    const tooltip = vscode.l10n.t("{0} to review", count);
    this.#view.badge = count === 0 ? undefined : { value: count, tooltip };
    if (this.server.state.kind === "ready") {
      // A server that cannot say it now is asked again with the next change.
      const review = await this.server.request("pollux/review", {}).catch(() => undefined);
      if (review !== undefined) {
        this.#rejected = review.rejected;
        void vscode.commands.executeCommand("setContext", "pollux.canUndoDecision", typeof review.undo === "string");
        void vscode.commands.executeCommand("setContext", "pollux.canRedoDecision", typeof review.redo === "string");
      }
    }
    this.#changed.fire();
  }
}

function fileItem(file: PendingFile): vscode.TreeItem {
  const item = new vscode.TreeItem(vscode.Uri.parse(file.uri), vscode.TreeItemCollapsibleState.Expanded);
  item.id = file.uri;
  item.description = [folderOf(file.path), statistics(file.added, file.removed)].filter(Boolean).join("  ");
  item.contextValue = "pollux.file";
  item.iconPath = vscode.ThemeIcon.File;
  item.tooltip = file.path;
  item.accessibilityInformation = {
    label: vscode.l10n.t(
      "{0}: {1} to review, {2} lines added, {3} removed",
      file.path,
      file.hunks.length,
      file.added,
      file.removed,
    ),
  };
  return item;
}

function hunkItem(placed: PlacedHunk): vscode.TreeItem {
  const { hunk, uri, position, first } = placed;
  const label = firstWords(hunk.added) || firstWords(hunk.removed) || wordless(hunk);
  const item = new vscode.TreeItem(label);
  item.id = `${uri}#${hunk.index}`;
  item.description = isFile(hunk) ? "" : `${first + 1}  ${statistics(countLines(hunk.added), countLines(hunk.removed))}`;
  item.contextValue = hunk.state === "conflict" ? "pollux.conflict" : "pollux.hunk";
  item.iconPath = iconOf(placed);
  item.command = { command: "pollux.showHunk", title: vscode.l10n.t("Show"), arguments: [placed] };
  item.accessibilityInformation = {
    label: vscode.l10n.t(
      "hunk {0}, {1} lines added, {2} removed, line {3}: {4}",
      position,
      countLines(hunk.added),
      countLines(hunk.removed),
      first + 1,
      label,
    ),
  };
  return item;
}

/** A file without lines that comes or goes. */
function isFile({ added, removed }: PendingHunk): boolean {
  return added === "" && removed === "";
}

function wordless(hunk: PendingHunk): string {
  return isFile(hunk) ? vscode.l10n.t("(empty file)") : vscode.l10n.t("(blank lines)");
}

function iconOf({ hunk }: PlacedHunk): vscode.ThemeIcon {
  if (hunk.state === "conflict") return new vscode.ThemeIcon("warning", new vscode.ThemeColor("list.warningForeground"));
  if (hunk.removed === "") return coloured("diff-added", "gitDecoration.addedResourceForeground");
  if (hunk.added === "") return coloured("diff-removed", "gitDecoration.deletedResourceForeground");
  return coloured("diff-modified", "gitDecoration.modifiedResourceForeground");
}

function coloured(icon: string, color: string): vscode.ThemeIcon {
  return new vscode.ThemeIcon(icon, new vscode.ThemeColor(color));
}

function groupItem(count: number): vscode.TreeItem {
  const item = new vscode.TreeItem(vscode.l10n.t("Rejected"), vscode.TreeItemCollapsibleState.Collapsed);
  item.id = "rejected";
  item.description = String(count);
  item.iconPath = new vscode.ThemeIcon("close-all");
  return item;
}

function rejectedItem(hunk: RejectedHunk): vscode.TreeItem {
  const item = new vscode.TreeItem(firstWords(hunk.added) || firstWords(hunk.removed));
  item.id = `rejected#${hunk.id}`;
  item.description = `${hunk.path}:${hunk.line + 1}`;
  item.contextValue = "pollux.rejected";
  item.iconPath = new vscode.ThemeIcon("circle-slash");
  item.command = { command: SHOW_REJECTED, title: vscode.l10n.t("Show"), arguments: [hunk] };
  const text = new vscode.MarkdownString().appendCodeblock(hunk.added || hunk.removed);
  item.tooltip = text;
  return item;
}

function statistics(added: number, removed: number): string {
  return [added > 0 ? `+${added}` : "", removed > 0 ? `−${removed}` : ""].filter(Boolean).join(" ");
}

function folderOf(path: string): string {
  const slash = path.lastIndexOf("/");
  return slash < 0 ? "" : path.slice(0, slash);
}
