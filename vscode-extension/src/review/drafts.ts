// A proposed text that a person changes before it is kept: a document of its own, which is nowhere on the disk. To save it
// decides nothing, because an editor may do that by itself; to keep it does.
import * as vscode from "vscode";
import { complain, say } from "./decisions";
import type { PlacedHunk } from "./hunks";
import type { Keys } from "./keys";
import { currentText, ORIGINAL, otherSide } from "./originals";
import { isOnDisk } from "./places";
import { hasMixedLineEnds, proposedText } from "./sides";

const SCHEME = "pollux-draft";

/** What becomes of the text once the person is done. */
export type KeepText = (content: string) => Promise<void>;

interface Draft {
  bytes: Uint8Array;
  changed: number;
  keep: KeepText;
}

export class Drafts implements vscode.FileSystemProvider, vscode.Disposable {
  readonly #drafts = new Map<string, Draft>();
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.#changed.event;
  readonly #owned: vscode.Disposable[];

  constructor(private readonly keys: Keys) {
    this.#owned = [
      this.#changed,
      vscode.workspace.registerFileSystemProvider(SCHEME, this, { isCaseSensitive: true }),
      vscode.commands.registerCommand("pollux.keepDraft", (uri?: vscode.Uri) => this.#keep(uri)),
    ];
    // What an earlier window had open is gone with it.
    void closeTabs(({ scheme }) => scheme === SCHEME);
  }

  /** Opens what the file would become. The same name is the same draft, with all that was typed into it. */
  async open(name: string, hunks: readonly PlacedHunk[], keep: KeepText): Promise<void> {
    const [first] = hunks;
    if (first === undefined) {
      say(vscode.l10n.t("This is decided already."));
      return;
    }
    const file = vscode.Uri.parse(first.uri);
    const uri = vscode.Uri.from({ scheme: SCHEME, path: file.path, query: name });
    if (!this.#drafts.has(uri.toString())) {
      const text = proposedText(await currentText(file), hunks);
      if (hasMixedLineEnds(text)) throw new Error(vscode.l10n.t("The line ends of this file differ, and an editor would make them equal. Keep the change, and edit it in the file."));
      this.#drafts.set(uri.toString(), { bytes: new TextEncoder().encode(text), changed: Date.now(), keep });
      this.#tellKeys();
    }
    const left = (await isOnDisk(file)) ? file : otherSide(ORIGINAL, first.uri);
    const title = vscode.l10n.t("{0} (edit, then keep)", vscode.workspace.asRelativePath(file));
    const selection = new vscode.Range(first.first, 0, first.first, 0);
    await vscode.commands.executeCommand("vscode.diff", left, uri, title, { selection });
    say(vscode.l10n.t("Change the text, then keep it: {0}", this.keys.of("pollux.keepDraft")));
  }

  async #keep(given: vscode.Uri | undefined): Promise<void> {
    const uri = given ?? vscode.window.activeTextEditor?.document.uri;
    const draft = uri && this.#drafts.get(uri.toString());
    const document = vscode.workspace.textDocuments.find((open) => open.uri.toString() === uri?.toString());
    if (uri === undefined || draft === undefined || document === undefined) {
      say(vscode.l10n.t("No proposed text is open to be kept."));
      return;
    }
    try {
      await draft.keep(document.getText());
    } catch (error) {
      // The text stays open: somebody has typed it.
      complain(error);
      return;
    }
    await document.save();
    await closeTabs((open) => open.toString() === uri.toString());
    this.#drafts.delete(uri.toString());
    this.#tellKeys();
  }

  #tellKeys(): void {
    void vscode.commands.executeCommand("setContext", "pollux.hasDraft", this.#drafts.size > 0);
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    const { bytes, changed } = this.#found(uri);
    return { type: vscode.FileType.File, ctime: changed, mtime: changed, size: bytes.length };
  }

  readFile(uri: vscode.Uri): Uint8Array {
    return this.#found(uri).bytes;
  }

  writeFile(uri: vscode.Uri, bytes: Uint8Array): void {
    const draft = this.#found(uri);
    this.#drafts.set(uri.toString(), { ...draft, bytes, changed: Date.now() });
    this.#changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  createDirectory(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  dispose(): void {
    for (const owned of this.#owned) owned.dispose();
  }

  #found(uri: vscode.Uri): Draft {
    const draft = this.#drafts.get(uri.toString());
    if (draft === undefined) throw vscode.FileSystemError.FileNotFound(uri);
    return draft;
  }
}

async function closeTabs(isMeant: (uri: vscode.Uri) => boolean): Promise<void> {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  await vscode.window.tabGroups.close(tabs.filter(({ input }) => input instanceof vscode.TabInputTextDiff && isMeant(input.modified)));
}
