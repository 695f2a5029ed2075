// The editor, as far as the chat reaches into it.
import * as vscode from "vscode";
import type { Review } from "../review/review";
import { gitChanges, pickFile, terminalText } from "./attachments";
import { mentionOf } from "./completions";
import type { Desk } from "./desk";
import { editorContext } from "./editorContext";
import type { Attachment, Completion, EditorContext, Keyboard, Place } from "./messages";
import type { Texts } from "./texts";

const WEB = new Set(["http", "https", "mailto"]);

export class EditorDesk implements Desk {
  constructor(
    private readonly texts: Texts,
    private readonly review: Pick<Review, "open" | "reveal" | "uriOf">,
    readonly learnKeyboard: (keyboard: Keyboard) => void,
  ) {}

  context(): EditorContext {
    return editorContext();
  }

  /** The client library introduces itself by it. */
  window(): string {
    return vscode.env.appName;
  }

  folders(): string[] {
    return (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
  }

  async openFile(path: string, line: number | null): Promise<void> {
    await this.review.open(await this.#uriOf(path), line === null ? undefined : Math.max(0, line - 1));
  }

  async openHunk(path: string): Promise<void> {
    await this.review.reveal(await this.#uriOf(path));
  }

  /** The review knows files that are not on the disk: those that are only proposed, and those that were removed. */
  async #uriOf(path: string): Promise<string> {
    return this.review.uriOf(path) ?? (await found(path)).toString();
  }

  async openText(title: string, language: string, text: string): Promise<void> {
    await this.texts.show(title, language, text);
  }

  /** The editor itself asks before it opens a page of somebody it does not know. */
  async openLink(href: string): Promise<void> {
    const uri = vscode.Uri.parse(href, true);
    if (WEB.has(uri.scheme)) await vscode.env.openExternal(uri);
  }

  async copy(text: string): Promise<void> {
    await vscode.env.clipboard.writeText(text);
  }

  async insert(text: string): Promise<void> {
    const editor = vscode.window.activeTextEditor ?? vscode.window.visibleTextEditors[0];
    if (!editor) throw new Error(vscode.l10n.t("No file is open to insert into."));
    await editor.insertSnippet(new vscode.SnippetString().appendText(text));
  }

  async go(place: Place): Promise<void> {
    switch (place) {
      case "settings":
        await vscode.commands.executeCommand("pollux.openSettings");
        return;
      case "walkthrough":
        await vscode.commands.executeCommand("pollux.openWalkthrough");
        return;
      case "signIn":
        await this.texts.show(vscode.l10n.t("Sign in"), "markdown", signIn());
        return;
      case "log":
        await vscode.commands.executeCommand("pollux.showLog");
        return;
      case "restart":
        await vscode.commands.executeCommand("pollux.restartServer");
        return;
    }
  }

  async symbols(query: string): Promise<Completion[]> {
    const found = await vscode.commands.executeCommand<vscode.SymbolInformation[] | undefined>("vscode.executeWorkspaceSymbolProvider", query);
    return (found ?? []).map(({ name, containerName, location }) => {
      const path = vscode.workspace.asRelativePath(location.uri, false);
      return {
        kind: "symbol",
        label: name,
        detail: containerName === "" ? path : `${containerName} · ${path}`,
        insert: `${mentionOf(path)} (${name}, ${vscode.l10n.t("line {0}", location.range.start.line + 1)})`,
      };
    });
  }

  async attach(what: "file" | "terminal" | "gitDiff"): Promise<Attachment | { mention: string } | undefined> {
    if (what === "terminal") return terminalText();
    if (what === "gitDiff") return gitChanges();
    const file = await pickFile();
    return file ? { mention: this.mention(file.toString()) } : undefined;
  }

  mention(uri: string): string {
    return mentionOf(vscode.workspace.asRelativePath(vscode.Uri.parse(uri), false));
  }
}

/** A path as the agent says it: absolute, or relative to one of the folders. */
async function found(path: string): Promise<vscode.Uri> {
  if (path.startsWith("/") || /^[a-z]:[\\/]/i.test(path)) return vscode.Uri.file(path);
  const folders = vscode.workspace.workspaceFolders ?? [];
  for (const folder of folders) {
    const uri = vscode.Uri.joinPath(folder.uri, path);
    try {
      await vscode.workspace.fs.stat(uri);
      return uri;
    } catch {
      // Not in this folder; perhaps in the next.
    }
  }
  throw new Error(vscode.l10n.t("{0} is not in this workspace.", path));
}

function signIn(): string {
  return vscode.l10n.t(
    "# Sign in\n\nPollux takes a key from the environment variable `GEMINI_API_KEY`, or from the system's keychain: run `pollux auth` in a terminal. Without a key the demo model answers.",
  );
}
